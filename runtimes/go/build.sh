#!/usr/bin/env bash
# Builds a server in Go: target/server, of the package in its folder; or a program of another name, or of another folder's source.
# usage: build.sh [NAME [SOURCE [TAG]]]      (in the server's folder; the tag of Go's build constraints)
# go.mod and go.sum are its lock: a module of another digest, or one that they do not name, ends the build. Go knows itself what has
# changed, and takes a second to see that nothing has.
set -euo pipefail

export GOTOOLCHAIN=local # the Go that was found, whatever a module asks for
export GOFLAGS='-mod=readonly -trimpath -buildvcs=false'
export CGO_ENABLED=0     # the same program with and without a C compiler
mkdir -p target
target=$PWD/target/${1:-server}
modules=$PWD/go.mod
cd "${2:-.}"
exec go build -modfile="$modules" -tags="${3:-}" -o "$target" .
