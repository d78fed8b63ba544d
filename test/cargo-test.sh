#!/usr/bin/env bash
# The native generator's own tests, and the link's.
# usage: test/cargo-test.sh [--quick | --rest]
#   --quick  the unit tests of the generator's library, which clippy lints as it compiles them, and the link's
#   --rest   the generator's other tests, which compile for minutes and run servers of their own
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=$PWD/runtimes/rust/bin/cargo

# test_in <folder> [argument of cargo test]...
test_in() { (cd "$1" && "$cargo" test --quiet --locked "${@:2}"); }

export RUSTFLAGS='-D warnings'
echo 'cargo test'
if [[ ${1-} != --rest ]]; then
  # `cargo clippy` would compile every dependency once more
  RUSTC_WORKSPACE_WRAPPER=clippy-driver test_in clients/swarm --package swarm --lib
  RUSTC_WORKSPACE_WRAPPER=clippy-driver test_in infra/link
fi
if [[ ${1-} != --quick ]]; then
  # Most of a test's time is a load's, which sleeps: there are more at a time than cores
  RUST_TEST_THREADS=8 test_in clients/swarm --package swarm --bins --test '*'
  test_in clients/swarm --workspace --exclude swarm
fi
