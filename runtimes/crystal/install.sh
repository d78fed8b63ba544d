#!/usr/bin/env bash
# Provides Crystal for the Crystal servers: bin/crystal links to it.
# usage: install.sh [--lacking]
# Uses a crystal in PATH; otherwise installs Debian's package. Its standard library is the engine.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # do not find our own link
headers=(libssl-dev zlib1g-dev) # needed by its HTTP server
[[ ! -e /usr/include/openssl/ssl.h || ! -e /usr/include/zlib.h ]] || headers=()
[[ ${1-} != --lacking ]] || exec echo crystal:crystal "${headers[@]}"
"$here/../apt-install.sh" crystal:crystal "${headers[@]}"
hash -r
found=$(command -v crystal)
[[ $(readlink "$here/bin/crystal" 2> /dev/null) == "$found" ]] && exit 0
mkdir -p "$here/bin"
ln -sfn "$found" "$here/bin/crystal"
