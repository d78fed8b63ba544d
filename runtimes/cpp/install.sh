#!/usr/bin/env bash
# Sees to a C++ compiler that can build the servers in C++: bin/c++ leads to it.
# usage: install.sh [--lacking]
# A c++ in PATH is taken as it is; else Debian's package is installed. Which one it was stands in each report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # not to find the link that it makes
[[ ${1-} != --lacking ]] || exec echo g++:c++
"$here/../apt-install.sh" g++:c++
hash -r
found=$(command -v c++)
[[ $(readlink "$here/bin/c++" 2> /dev/null) == "$found" ]] && exit 0
mkdir -p "$here/bin"
ln -sfn "$found" "$here/bin/c++"
