#!/usr/bin/env bash
# Sees to a Ruby for the servers in Ruby: bin/ruby leads to it.
# usage: install.sh [--lacking]
# It is Debian's, and no other in PATH: the libraries of its servers are Debian's packages, which another Ruby would not find.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ${1-} != --lacking ]] || exec echo ruby
"$here/../apt-install.sh" ruby
mkdir -p "$here/bin"
[[ $(readlink "$here/bin/ruby" 2> /dev/null) == /usr/bin/ruby ]] || ln -sfn /usr/bin/ruby "$here/bin/ruby"
