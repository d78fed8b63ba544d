#!/usr/bin/env bash
# Runs eslint, tsc, shellcheck, cargo fmt, clippy, gofmt and go vet. Java needs no linter: warnings fail its build.
# usage: test/lint.sh [--quick | --rest]
#   --quick  all but clippy and go vet, which compile for minutes (test/cargo-test.sh --quick runs some of clippy)
#   --rest   only clippy and go vet
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
cargo=$root/runtimes/rust/bin/cargo
node=$root/runtimes/node-24/bin/node
mapfile -t go_folders < <(for module in servers/*/go.mod clients/*/go.mod; do dirname "$module"; done)

lint_quickly() {
  echo 'cargo fmt'
  for folder in clients/swarm servers clients/serial infra/link; do (cd "$folder" && "$cargo" fmt --all --check); done
  echo 'gofmt'
  files=$(runtimes/go/bin/gofmt -l "${go_folders[@]}")
  [[ -z $files ]] || { echo "error: gofmt: not in Go's format: $files; run: runtimes/go/bin/gofmt -w $files" >&2; exit 1; }
  echo 'eslint'
  "$node" node_modules/eslint/bin/eslint.js --max-warnings 0 .
  echo 'tsc'
  "$node" node_modules/typescript/bin/tsc
  echo 'shellcheck'
  mapfile -t scripts < <(git ls-files '*.sh' wscale .ci/run)
  shellcheck "${scripts[@]}"
}

lint_rest() {
  echo 'cargo clippy'
  for folder in clients/swarm servers clients/serial infra/link; do
    (cd "$folder" && "$cargo" clippy --quiet --locked --workspace --all-targets -- -D warnings)
  done
  echo 'go vet'
  for folder in "${go_folders[@]}"; do # except those whose modules the tests do not fetch
    ! grep -qs '^ci = false' "$folder/engine.toml" || continue
    (cd "$folder" && GOTOOLCHAIN=local "$root/runtimes/go/bin/go" vet .)
  done
}

[[ ${1-} == --rest ]] || lint_quickly
[[ ${1-} == --quick ]] || lint_rest
