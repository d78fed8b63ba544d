#!/usr/bin/env bash
# Builds a Go server: target/server from the package in its folder, or a program with another NAME, or from another folder SOURCE.
# usage: build.sh [NAME [SOURCE [TAG]]]      (in the server's folder; TAG for Go's build constraints)
# go.mod and go.sum are its lock: the build fails for a module with another digest, or one that they do not list. Go detects changes itself,
# in 1 s if there are none.
set -euo pipefail

export GOTOOLCHAIN=local # use the installed Go, even if a module asks for another
export GOFLAGS='-mod=readonly -trimpath -buildvcs=false'
export CGO_ENABLED=0     # the program must not depend on a C compiler
mkdir -p target
target=$PWD/target/${1:-server}
modules=$PWD/go.mod
cd "${2:-.}"
exec go build -modfile="$modules" -tags="${3:-}" -o "$target" .
