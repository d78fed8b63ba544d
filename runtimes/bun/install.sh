#!/usr/bin/env bash
# Installs the pinned Bun: bin/bun.
# usage: install.sh [--lacking]
# The install script of the package `bun` is not run, since it may download: the program is in the package of this
# platform, which npm chose. node-24 is installed first, for its npm.
set -euo pipefail
[[ ${1-} != --lacking ]] || exit 0 # it needs no package of Debian

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/../install-npm-runtime.sh"

make_executables() {
  ln -s ../node_modules/@oven/bun-linux-x64/bin/bun "$1/bun"
}

"$here/../node-24/install.sh"
install_runtime "$here" "$here/../node-24/bin/npm" bun
