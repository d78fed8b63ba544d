#!/usr/bin/env bash
# Sees to a Go that can build the servers in Go: bin/go and bin/gofmt lead to it.
# usage: install.sh [--lacking]
# A go in PATH that is new enough is taken as it is; else Debian's package is installed. Each server's go.mod and go.sum pin its
# modules, not the compiler: which one it was stands in each report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=1.18 # type parameters, which servers/go has; `go` in its go.mod

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/go: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# has_go: a go in PATH that is new enough, with its gofmt
has_go() {
  local version
  command -v gofmt > /dev/null && version=$(go version 2> /dev/null) || return 1
  [[ $version =~ go([0-9.]+) ]] || return 1
  [[ $(printf '%s\n%s\n' "$least" "${BASH_REMATCH[1]}" | sort -V | head -n 1) == "$least" ]]
}

PATH=${PATH//$here\/bin:/} # not to find the links that it makes
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
