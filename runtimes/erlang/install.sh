#!/usr/bin/env bash
# Sees to an Erlang for the servers in Erlang: bin/erl and bin/erlc lead to it.
# usage: install.sh
# An erl in PATH is taken as it is, where it has what the servers need; else Debian's packages are installed. Which one it was stands in
# each report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # not to find the links that it makes
"$here/../apt-install.sh" erlang-base:erl
hash -r
library=$(dirname "$(readlink -f "$(command -v erl)")")/../lib
for application in crypto ssl; do
  compgen -G "$library/$application-*" > /dev/null || "$here/../apt-install.sh" "erlang-$application"
done
mkdir -p "$here/bin"
for program in erl erlc; do
  found=$(command -v "$program")
  [[ $(readlink "$here/bin/$program" 2> /dev/null) == "$found" ]] || ln -sfn "$found" "$here/bin/$program"
done
