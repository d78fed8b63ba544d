#!/usr/bin/env bash
# Sees to a Rust that can build what is native here: bin/cargo leads to it.
# usage: install.sh [--lacking]
# A cargo in PATH that is new enough is taken as it is (rustup's, a distribution's); else Debian's packages are installed.
# Cargo.lock pins the crates, not the compiler: which one it was stands in each report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=1.88 # what the crates that are used ask for; rust-version in clients/swarm/Cargo.toml
packages=("cargo-web@$least" "rustc-web@$least")

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/rust: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# has_rust: a cargo in PATH whose rustc is new enough
has_rust() {
  local version
  command -v cargo > /dev/null && version=$(rustc --version 2> /dev/null) || return 1
  read -r _ version _ <<< "$version"
  [[ $(printf '%s\n%s\n' "$least" "${version%%-*}" | sort -V | head -n 1) == "$least" ]]
}

PATH=${PATH//$here\/bin:/} # not to find the link that it makes
[[ ${1-} != --lacking ]] || { has_rust || echo "${packages[@]}"; exit 0; }
if ! has_rust; then
  # Debian keeps a current Rust under this name, for its browsers
  "$here/../apt-install.sh" "${packages[@]}"
  hash -r
  has_rust || fail "rustc in PATH is older than $least ($(rustc --version 2>&1))" "install a newer one, for example from https://rustup.rs"
fi
cargo=$(command -v cargo)
[[ $(readlink "$here/bin/cargo" 2> /dev/null) == "$cargo" ]] && exit 0
mkdir -p "$here/bin"
ln -sfn "$cargo" "$here/bin/cargo"
