#!/usr/bin/env bash
# Builds the server in this folder: target/server from server.cr. Takes about 50 s of CPU time, or none if nothing has changed.
# usage: build.sh      (in the server's folder)
set -euo pipefail

mkdir -p target
crystal build --release --no-debug --error-on-warnings -o target/server.partial server.cr
mv target/server.partial target/server
