#!/usr/bin/env bash
# Provides Erlang for the Erlang servers: bin/erl and bin/erlc link to it.
# usage: install.sh [--lacking]
# Uses an erl in PATH; installs Debian's packages for what is missing. Each report names the version.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=${PATH//$here\/bin:/} # do not find our own links
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
