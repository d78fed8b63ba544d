#!/usr/bin/env bash
# Sees to a Crystal that can build the servers in Crystal: bin/crystal leads to it.
# usage: install.sh [--lacking]
# A crystal in PATH is taken as it is; else Debian's package is installed. Its standard library is the engine.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # not to find the link that it makes
headers=(libssl-dev zlib1g-dev) # which its HTTP server needs
[[ ! -e /usr/include/openssl/ssl.h || ! -e /usr/include/zlib.h ]] || headers=()
[[ ${1-} != --lacking ]] || exec echo crystal:crystal "${headers[@]}"
"$here/../apt-install.sh" crystal:crystal "${headers[@]}"
hash -r
found=$(command -v crystal)
[[ $(readlink "$here/bin/crystal" 2> /dev/null) == "$found" ]] && exit 0
mkdir -p "$here/bin"
ln -sfn "$found" "$here/bin/crystal"
