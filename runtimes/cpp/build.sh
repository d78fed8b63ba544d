#!/usr/bin/env bash
# Builds the server in this folder: target/server from server.cpp. Its library comes from a Debian package; the package's version is the
# engine's.
# usage: build.sh [--lacking] PACKAGE FLAG... [-- OTHER_PACKAGE...]   in the server's folder
#
# A flag pkg-config:NAME stands for pkg-config's flags of NAME, for compiling and linking, such as pkg-config:Qt6WebSockets
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
is_asked=
[[ ${1-} != --lacking ]] || { is_asked=1; shift; }
package=${1:?usage: build.sh [--lacking] PACKAGE FLAG... [-- OTHER_PACKAGE...]}
shift
flags=() named=()
while [[ $# -gt 0 && $1 != -- ]]; do
  if [[ $1 == pkg-config:* ]]; then named+=("${1#*:}"); else flags+=("$1"); fi
  shift
done
packages=("$package" "${@:2}")
((${#named[@]} == 0)) || packages+=(pkg-config:pkg-config)
[[ -z $is_asked ]] || exec echo "${packages[@]}"
"$here/../apt-install.sh" "${packages[@]}"
if ((${#named[@]})); then
  found=$(pkg-config --cflags --libs "${named[@]}") || exit 69 # pkg-config has printed the error
  read -ra found <<< "$found"
  flags+=("${found[@]}")
fi
mkdir -p target
"$here/bin/c++" -std=c++17 -O3 -DNDEBUG -Wall -Wextra -pthread "-DPACKAGE_VERSION=\"$("$here/version.sh" . "$package")\"" \
  -o target/server.partial server.cpp "${flags[@]}"
mv target/server.partial target/server
