#!/usr/bin/env bash
# Provides CPython for the Python servers: bin/python3 links to it.
# usage: install.sh [--lacking]
# Uses a python3 in PATH if it is new enough and can make virtual environments; otherwise installs Debian's packages. Each server's
# requirements.txt pins its packages, not the interpreter; each report names the interpreter.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least='3, 10' # required by our packages

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/python: %s; %s\n' "$1" "$2" >&2
  exit 69
}

has_python() {
  python3 -c "import ensurepip, sys; sys.exit(sys.version_info < ($least))" 2> /dev/null
}

PATH=${PATH//$here\/bin:/} # do not find our own link
[[ ${1-} != --lacking ]] || { has_python || echo python3 python3-venv; exit 0; }
if ! has_python; then
  "$here/../apt-install.sh" python3 python3-venv
  hash -r
  has_python || fail "python3 in PATH is older than ${least/, /.}, or has no venv ($(python3 --version 2>&1))" \
    "put a Python of ${least/, /.} or later first in PATH"
fi
found=$(python3 -c 'import sys; print(sys.executable)') # the interpreter itself: the program in PATH may be a launcher
[[ $(readlink "$here/bin/python3" 2> /dev/null) == "$found" ]] && exit 0
mkdir -p "$here/bin"
ln -sfn "$found" "$here/bin/python3"
