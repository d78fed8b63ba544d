#!/usr/bin/env bash
# Sees to a Rust that can build what is native here: bin/cargo leads to it.
# usage: install.sh [--lacking]
# A cargo in PATH that is new enough is taken as it is (rustup's, a distribution's), or one of Ubuntu's that are named by their version;
# else packages are installed.
# Cargo.lock pins the crates, not the compiler: which one it was stands in each report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=1.88 # what the crates that are used ask for; rust-version in clients/swarm/Cargo.toml
# Debian keeps a current Rust under the first name, for its browsers; Ubuntu several, whose programs are in a folder of their own
packages=("cargo-web@$least,cargo-1.91" "rustc-web@$least,rustc-1.91")

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/rust: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# is_rust: a cargo in PATH whose rustc is new enough
is_rust() {
  local version
  command -v cargo > /dev/null && version=$(rustc --version 2> /dev/null) || return 1
  read -r _ version _ <<< "$version"
  [[ $(printf '%s\n%s\n' "$least" "${version%%-*}" | sort -V | head -n 1) == "$least" ]]
}

# has_rust: is there one, in PATH or beside? It sets `beside`, the folder to be put first in PATH for it
has_rust() {
  local folder
  beside=''
  ! is_rust || return 0
  for folder in /usr/lib/rust-*/bin; do ! PATH=$folder:$PATH is_rust || beside=$folder; done
  [[ -n $beside ]]
}

PATH=${PATH//$here\/bin:/} # not to find the link that it makes
[[ ${1-} != --lacking ]] || { has_rust || echo "${packages[@]}"; exit 0; }
if ! has_rust; then
  "$here/../apt-install.sh" "${packages[@]}"
  hash -r
  has_rust || fail "rustc in PATH is older than $least ($(rustc --version 2>&1))" "install a newer one, for example from https://rustup.rs"
fi
mkdir -p "$here/bin"
if [[ -n $beside ]]; then
  # shellcheck disable=SC2016 # what is written expands it
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
