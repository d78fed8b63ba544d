#!/usr/bin/env bash
# The native generator's own tests, and the link's.
# usage: test/cargo-test.sh [--quick | --rest]
#   --quick  the unit tests of the generator's library, and the link
#   --rest   the generator's other tests, which compile for minutes and run servers of their own
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=$PWD/runtimes/rust/bin/cargo

# test_in <folder> [argument of cargo test]...
test_in() { (cd "$1" && "$cargo" test --quiet --locked "${@:2}"); }

echo 'cargo test'
if [[ ${1-} != --rest ]]; then
  test_in clients/swarm --package swarm --lib
  test_in infra/link
fi
if [[ ${1-} != --quick ]]; then
  test_in clients/swarm --package swarm --bins --test '*'
  test_in clients/swarm --workspace --exclude swarm
fi
