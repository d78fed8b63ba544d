#!/usr/bin/env bash
# The tests of the generator swarm, and of infra/link.
# usage: test/cargo-test.sh [--quick | --rest]
#   --quick  the unit tests of swarm's library, and the tests of the link; clippy lints both while they compile
#   --rest   swarm's other tests, which compile for minutes and start their own servers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=$PWD/runtimes/rust/bin/cargo

# test_in <folder> [argument of cargo test]...
test_in() { (cd "$1" && "$cargo" test --quiet --locked "${@:2}"); }

export RUSTFLAGS='-D warnings'
echo 'cargo test'
if [[ ${1-} != --rest ]]; then
  # Clippy wraps the compiler, since `cargo clippy` would compile every dependency again
  RUSTC_WORKSPACE_WRAPPER=clippy-driver test_in clients/swarm --package swarm --lib
  RUSTC_WORKSPACE_WRAPPER=clippy-driver test_in infra/link
fi
if [[ ${1-} != --quick ]]; then
  # More tests at once than cores: most of their time is a load that sleeps
  RUST_TEST_THREADS=8 test_in clients/swarm --package swarm --bins --test '*'
  test_in clients/swarm --workspace --exclude swarm
fi
