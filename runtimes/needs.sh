#!/usr/bin/env bash
# What parts of the suite need of this machine, before any of it is installed. It installs nothing.
# usage: needs.sh FOLDER...                       of engines, clients, runtimes: servers/ws runtimes/go
#        needs.sh --experiment N [--profile=P] [--generator=G] ["--engines=NAME NAME"]
#        needs.sh --all
#
# Output, a word a line, for runtimes/check-first.sh: Debian packages as apt-install.sh takes them, of which some may be there; permit:NAME;
# and `network` and `capture`, of which the Makefile has the packages.
#
# A script of runtimes/, or of a folder's `build`, that installs packages prints them with --lacking before its other arguments, and does
# nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
node=runtimes/node-24/bin/node

# ask <folder> <script, seen from there> [argument]...: the packages that it would install
ask() {
  local folder=$1 script=$2
  shift 2
  [[ -f $folder/$script ]] && grep -q -e --lacking "$folder/$script" || return 0
  (cd "$folder" && "./$script" --lacking "$@")
}

declare -A seen=()
# needs_of <folder>
needs_of() {
  local manifest build=()
  [[ -z ${seen[$1]-} ]] || return 0
  seen[$1]=1
  if [[ $1 == runtimes/* ]]; then ask "$1" install.sh; return; fi
  for manifest in "$1"/{engine,client,generator,companion}.toml; do
    [[ -f $manifest ]] || continue
    needs_of "runtimes/$(runtimes/toml.sh runtime "$manifest")"
    runtimes/toml.sh packages "$manifest"
    read -ra build < <(runtimes/toml.sh build "$manifest") || true
    [[ ${build[0]-} != *.sh ]] || ask "$1" "${build[@]}"
  done
}

# guess <experiment> [option]...: parts by the words of its manifest, of all profiles, where there is no Node yet to read it
guess() {
  local folder name word option manifest='' engines=''
  for folder in experiments/[0-9]*/; do
    name=$(basename "$folder")
    [[ $name != "$1" && $((10#${name%%-*})) != "$1" ]] || manifest=$folder/experiment.toml
  done
  [[ -f $manifest ]] || return 0 # the run says so
  for option in "${@:2}"; do [[ $option != --engines=* ]] || engines=" ${option#*=} "; done
  ! grep -q '^\[network\]' "$manifest" || echo network
  ! grep -qE '^capture = (true|\["on"\])' "$manifest" || printf '%s\n' capture permit:capture
  ! grep -q '^rtt_us\|^rate_mbit' "$manifest" || printf '%s\n' permit:link runtimes/rust
  { grep -v '^ *#' "$manifest" | grep -o '"[a-z0-9.-]*"' | tr -d '"'; ! grep -q 'dialects = ' "$manifest" || ls servers; } | sort -u | while read -r word; do
    [[ ! -f clients/$word/generator.toml && ! -f clients/$word/companion.toml ]] || echo "clients/$word"
    [[ ! -f servers/$word/engine.toml || ( -n $engines && $engines != *" $word "* ) ]] || echo "servers/$word"
  done
}

# of_experiment <experiment> [option]...: what is wrong with its manifest the run says
of_experiment() {
  if [[ -x $node && -f node_modules/.harness-complete ]]; then
    "$node" harness/main.js needs "$@" 2> /dev/null | tr ' ' '\n' || true
  else
    guess "$@"
  fi
}

# put: parts to what they need; a word that is no folder as it stands
put() {
  local word
  while read -r word; do if [[ $word == */* ]]; then needs_of "$word"; elif [[ -n $word ]]; then echo "$word"; fi; done
}

case ${1-} in
  --experiment) of_experiment "${@:2}" | put ;;
  --all) { printf '%s\n' servers/*/ clients/*/ runtimes/*/ | sed 's|/$||'; } | put ;;
  *) printf '%s\n' "$@" | { grep / || true; } | put ;; # what is no folder `make install` refuses
esac | tr ' ' '\n' | sort -u
