#!/usr/bin/env bash
# The native generator's own tests, and the link's.
# usage: test/cargo-test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=$PWD/runtimes/rust/bin/cargo
echo 'cargo test'
# Most of a test's time is a load's, which sleeps: there are more at a time than cores
(cd clients/swarm && RUST_TEST_THREADS=4 "$cargo" test --quiet --locked --workspace)
(cd infra/link && "$cargo" test --quiet --locked)
