#!/usr/bin/env bash
# Builds the server in this folder: target/server of its server.cpp. Its library comes from a Debian package, whose version is the engine's.
# usage: build.sh [--lacking] PACKAGE FLAG... [-- OTHER_PACKAGE...]   in the server's folder
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
is_asked=
[[ ${1-} != --lacking ]] || { is_asked=1; shift; }
package=${1:?usage: build.sh [--lacking] PACKAGE FLAG... [-- OTHER_PACKAGE...]}
shift
flags=()
while [[ $# -gt 0 && $1 != -- ]]; do flags+=("$1"); shift; done
[[ -z $is_asked ]] || exec echo "$package" "${@:2}"
"$here/../apt-install.sh" "$package" "${@:2}"
mkdir -p target
"$here/bin/c++" -std=c++17 -O3 -DNDEBUG -Wall -Wextra -pthread "-DPACKAGE_VERSION=\"$("$here/version.sh" . "$package")\"" \
  -o target/server.partial server.cpp "${flags[@]}"
mv target/server.partial target/server
