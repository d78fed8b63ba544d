#!/usr/bin/env bash
# Provides Go for the Go servers: bin/go and bin/gofmt link to it.
# usage: install.sh [--lacking]
# Uses a go in PATH if it is new enough; otherwise installs Debian's package. Each server's go.mod and go.sum pin its modules, not the
# compiler; each report names the compiler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=1.18 # for the type parameters in servers/go; `go` in its go.mod

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/go: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# has_go: whether a go in PATH is new enough and has gofmt
has_go() {
  local version
  command -v gofmt > /dev/null && version=$(go version 2> /dev/null) || return 1
  [[ $version =~ go([0-9.]+) ]] || return 1
  [[ $(printf '%s\n%s\n' "$least" "${BASH_REMATCH[1]}" | sort -V | head -n 1) == "$least" ]]
}

PATH=${PATH//$here\/bin:/} # do not find our own links
[[ ${1-} != --lacking ]] || { has_go || echo golang-go; exit 0; }
if ! has_go; then
  "$here/../apt-install.sh" golang-go
  hash -r
  has_go || fail "go in PATH is older than $least ($(go version 2>&1))" "put a Go of $least or later first in PATH"
fi
mkdir -p "$here/bin"
for program in go gofmt; do
  found=$(command -v "$program")
  [[ $(readlink "$here/bin/$program" 2> /dev/null) == "$found" ]] || ln -sfn "$found" "$here/bin/$program"
done
