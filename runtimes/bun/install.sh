#!/usr/bin/env bash
# Installs the pinned Bun: bin/bun.
# usage: install.sh
# The install script of the package `bun` is not run, since it may download: the program is in the package of this
# platform, which npm chose. node-24 is installed first, for its npm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/../install-npm-runtime.sh"

make_executables() {
  ln -s ../node_modules/@oven/bun-linux-x64/bin/bun "$1/bun"
}

"$here/../node-24/install.sh"
install_runtime "$here" "$here/../node-24/bin/npm" bun
