#!/usr/bin/env bash
# Installs the pinned Deno: bin/deno.
# usage: install.sh [--lacking]
# The package `deno` would only choose this platform's, whose program it is; so this one is named itself. node-24 is installed first,
# for its npm.
set -euo pipefail
[[ ${1-} != --lacking ]] || exit 0 # it needs no package of Debian

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/../install-npm-runtime.sh"

make_executables() {
  ln -s ../node_modules/@deno/linux-x64-glibc/deno "$1/deno"
}

"$here/../node-24/install.sh"
install_runtime "$here" "$here/../node-24/bin/npm" deno
