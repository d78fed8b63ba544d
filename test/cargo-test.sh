#!/usr/bin/env bash
# The native generator's own tests, and the link's.
# usage: test/cargo-test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=$PWD/runtimes/rust/bin/cargo
echo 'cargo test'
(cd clients/swarm && "$cargo" test --quiet --locked --workspace)
(cd infra/link && "$cargo" test --quiet --locked)
