#!/usr/bin/env bash
# Provides Go for what is built with it: bin/go and bin/gofmt link to it.
# usage: install.sh [--lacking]
# Uses a go in PATH if it is new enough. Otherwise that go, or Debian's package, downloads the pinned Go into target/ from the module
# proxy, which has each Go as a module (https://go.dev/doc/toolchain#download). Each report names the compiler.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=1.23 # the highest `go` in a go.mod of this tree
pinned=1.26.8 pinned_sum=h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM= # as in a go.sum
least_to_download=1.18 # Debian 12 has 1.19
export GOTOOLCHAIN=local GO111MODULE=on # whatever the user's environment says

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/go: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# has_go <version>: whether a go in PATH is at least that, and has gofmt
has_go() {
  local version
  command -v gofmt > /dev/null && version=$(go version 2> /dev/null) || return 1
  [[ $version =~ go([0-9.]+) ]] || return 1
  [[ $(printf '%s\n%s\n' "$1" "${BASH_REMATCH[1]}" | sort -V | head -n 1) == "$1" ]]
}

# Leaves nothing in the user's own module cache, which `go clean -modcache` would empty.
download() {
  local facts=$here/target/download/facts.json
  local module=golang.org/toolchain@v0.0.1-go$pinned.linux-amd64
  local tree=$here/target/download/$module
  [[ $(uname -sm) == 'Linux x86_64' ]] || fail "go in PATH is older than $least, and Go $pinned is pinned for Linux on x86-64 ($(uname -sm))" \
    "put a Go of $least or later first in PATH"
  chmod -R u+w "$here/target/download" 2> /dev/null || true # a module cache is read-only
  rm -rf "$here/target/download"
  mkdir -p "$here/target/download"
  (cd "$here/target/download" && GOFLAGS=-modcacherw GOMODCACHE=$here/target/download go mod download -json "$module" > "$facts") ||
    fail "Go $pinned was not downloaded: $(grep '"Error"' "$facts" || true)" \
      "see that GOPROXY ($(go env GOPROXY)) can be reached, or put a Go of $least or later first in PATH"
  grep -qF "\"Sum\": \"$pinned_sum\"" "$facts" ||
    fail "Go $pinned has another sum than $pinned_sum: $(grep '"Sum"' "$facts")" "put a Go of $least or later first in PATH"
  chmod +x "$tree"/bin/* "$tree"/pkg/tool/*/* # the proxy's archives have no modes,
  find "$tree" -name _go.mod | while read -r file; do mv "$file" "${file%_go.mod}go.mod"; done # and hold no module within the module
  rm -rf "$here/target/toolchain"
  mv "$tree" "$here/target/toolchain"
  rm -rf "$here/target/download"
}

PATH=${PATH//$here\/bin:/} # do not find our own links
[[ ${1-} != --lacking ]] || { has_go "$least_to_download" || echo golang-go; exit 0; }
if ! has_go "$least_to_download"; then
  "$here/../apt-install.sh" golang-go
  hash -r
  has_go "$least_to_download" || fail "go in PATH is older than $least_to_download ($(go version 2>&1))" "put a Go of $least or later first in PATH"
fi
if ! has_go "$least"; then
  exec 9< "${BASH_SOURCE[0]}"
  flock 9 # two installations at a time would delete each other's files
  [[ $(cat "$here/target/toolchain/VERSION" 2> /dev/null) == "go$pinned"* ]] || download
  PATH=$here/target/toolchain/bin:$PATH
  hash -r
  has_go "$least" || fail "$here/target/toolchain/bin/go does not run here ($(uname -sm))" "put a Go of $least or later first in PATH"
fi
mkdir -p "$here/bin"
for program in go gofmt; do
  found=$(command -v "$program")
  [[ $(readlink "$here/bin/$program" 2> /dev/null) == "$found" ]] || ln -sfn "$found" "$here/bin/$program"
done
