#!/usr/bin/env bash
# Provides a C++ compiler for the C++ servers: bin/c++ links to it.
# usage: install.sh [--lacking]
# Uses a c++ in PATH; otherwise installs Debian's package. Each report names the compiler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # do not find our own link
[[ ${1-} != --lacking ]] || exec echo g++:c++
"$here/../apt-install.sh" g++:c++
hash -r
found=$(command -v c++)
[[ $(readlink "$here/bin/c++" 2> /dev/null) == "$found" ]] && exit 0
mkdir -p "$here/bin"
ln -sfn "$found" "$here/bin/c++"
