#!/usr/bin/env bash
# Builds the server in this folder: its libraries into target/lib, its modules into target/ebin.
# usage: build.sh SHARED PACKAGE LIBRARY[?]...   (in the server's folder; SHARED is the folder of shared modules, such as ../erlang)
# Debian has no packages of these libraries, but PACKAGE contains them as plugins. It is downloaded and unpacked, not installed. Its
# version is the distribution's; each report has the versions of the libraries. LIBRARY? is optional.
set -euo pipefail

shared=${1:?usage: build.sh SHARED PACKAGE LIBRARY...}
package=${2:?usage: build.sh SHARED PACKAGE LIBRARY...}
shift 2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# fetch: downloads the package into target/
fetch() {
  (cd target && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$package")
}

rm -rf target
mkdir -p target/lib target/ebin
fetch 2> /dev/null || { # the lists are old or missing: update them and retry
  as_root=()
  if ((EUID != 0)); then
    command -v sudo > /dev/null || {
      printf 'error: %s: %s is not in the lists of packages here, or they are old; run as root: apt-get update\n' "${PWD#"$root"/}" "$package" >&2
      exit 69
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get -qq update
  [[ -n $(apt-cache show "$package" 2> /dev/null) ]] || {
    printf 'error: %s: this release has no package %s; leave this engine out\n' "${PWD#"$root"/}" "$package" >&2
    exit 72 # as in ../apt-install.sh
  }
  fetch
}
wanted=()
for library in "$@"; do wanted+=("*/plugins/${library%\?}-[0-9]*"); done
# Missing plugins are reported below, with our own message
dpkg-deb --fsys-tarfile target/"$package"_*.deb | tar -x -C target --wildcards "${wanted[@]}" 2> /dev/null || true
rm target/"$package"_*.deb
for library in "$@"; do
  mv target/usr/lib/*/lib/*/plugins/"${library%\?}"-[0-9]* target/lib/ 2> /dev/null || [[ $library == *\? ]] || {
    printf 'error: %s: %s has no plugin "%s"; name one that it has\n' "${PWD#"$root"/}" "$package" "$library" >&2
    exit 70
  }
done
rm -r target/usr
erlc -Werror -o target/ebin "$shared"/*.erl ./*.erl
