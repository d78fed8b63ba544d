#!/usr/bin/env bash
# Provides Rust for the native programs of the suite: bin/cargo leads to it.
# usage: install.sh [--lacking]
# Uses a cargo in PATH if it is new enough (from rustup or a distribution), or one of Ubuntu's versioned ones; otherwise installs packages.
# Cargo.lock pins the crates, not the compiler; each report names the compiler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=1.88 # required by our crates; rust-version in clients/swarm/Cargo.toml
# Debian has a current Rust under the first name, for its browsers. Ubuntu has several versions, each with its own folder of programs
packages=("cargo-web@$least,cargo-1.91" "rustc-web@$least,rustc-1.91")

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/rust: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# is_rust: whether there is a cargo in PATH, with a rustc that is new enough
is_rust() {
  local version
  command -v cargo > /dev/null && version=$(rustc --version 2> /dev/null) || return 1
  read -r _ version _ <<< "$version"
  [[ $(printf '%s\n%s\n' "$least" "${version%%-*}" | sort -V | head -n 1) == "$least" ]]
}

# has_rust: whether there is one, in PATH or in a folder of Ubuntu. Sets `beside` to that folder, to be put first in PATH
has_rust() {
  local folder
  beside=''
  ! is_rust || return 0
  for folder in /usr/lib/rust-*/bin; do ! PATH=$folder:$PATH is_rust || beside=$folder; done
  [[ -n $beside ]]
}

PATH=${PATH//$here\/bin:/} # do not find our own link
[[ ${1-} != --lacking ]] || { has_rust || echo "${packages[@]}"; exit 0; }
if ! has_rust; then
  "$here/../apt-install.sh" "${packages[@]}"
  hash -r
  has_rust || fail "rustc in PATH is older than $least ($(rustc --version 2>&1))" "install a newer one, for example from https://rustup.rs"
fi
mkdir -p "$here/bin"
if [[ -n $beside ]]; then
  # shellcheck disable=SC2016 # the written script expands it
  script=$(printf '#!/bin/sh\nPATH=%s:$PATH exec %s/cargo "$@"' "$beside" "$beside")
  [[ ! -L $here/bin/cargo && $(cat "$here/bin/cargo" 2> /dev/null) == "$script" ]] && exit 0
  rm -f "$here/bin/cargo"
  printf '%s\n' "$script" > "$here/bin/cargo"
  chmod +x "$here/bin/cargo"
  exit 0
fi
cargo=$(command -v cargo)
[[ $(readlink "$here/bin/cargo" 2> /dev/null) == "$cargo" ]] && exit 0
ln -sfn "$cargo" "$here/bin/cargo"
