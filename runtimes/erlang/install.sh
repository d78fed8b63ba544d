#!/usr/bin/env bash
# Sees to an Erlang for the servers in Erlang: bin/erl and bin/erlc lead to it.
# usage: install.sh [--lacking]
# An erl in PATH is taken as it is, where it has what the servers need; else Debian's packages are installed. Which one it was stands in
# each report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # not to find the links that it makes
if [[ ${1-} == --lacking ]]; then
  command -v erl > /dev/null || exec echo erlang-base erlang-crypto erlang-ssl
else
  "$here/../apt-install.sh" erlang-base:erl
fi
hash -r
library=$(dirname "$(readlink -f "$(command -v erl)")")/../lib
lacking=()
for application in crypto ssl; do
  compgen -G "$library/$application-*" > /dev/null || lacking+=("erlang-$application")
done
[[ ${1-} != --lacking ]] || exec echo "${lacking[@]}"
((${#lacking[@]} == 0)) || "$here/../apt-install.sh" "${lacking[@]}"
mkdir -p "$here/bin"
for program in erl erlc; do
  found=$(command -v "$program")
  [[ $(readlink "$here/bin/$program" 2> /dev/null) == "$found" ]] || ln -sfn "$found" "$here/bin/$program"
done
