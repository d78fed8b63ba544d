#!/usr/bin/env bash
# Provides Ruby for the Ruby servers: bin/ruby links to it.
# usage: install.sh [--lacking]
# Always uses Debian's Ruby: the servers' libraries are Debian packages, and another Ruby in PATH would not find them.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ${1-} != --lacking ]] || exec echo ruby
"$here/../apt-install.sh" ruby
mkdir -p "$here/bin"
[[ $(readlink "$here/bin/ruby" 2> /dev/null) == /usr/bin/ruby ]] || ln -sfn /usr/bin/ruby "$here/bin/ruby"
