#!/bin/sh
# Removes what was installed into this folder, never results.
# usage: clean.sh
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."
pid='' began=''
{ read -r pid began _ < "${WSCALE_RESULTS:-results}/.running"; } 2> /dev/null || true
if [ -n "$began" ] && [ "$(sed 's/.*) //' "/proc/$pid/stat" 2> /dev/null | cut -d ' ' -f 20)" = "$began" ]; then
  echo "error: clean: process $pid is measuring with what would be removed; wait until it ends, or stop it" >&2
  exit 1
fi
rm -rf runtimes/*/bin runtimes/*/target runtimes/*/venv infra/ec2/venv test/more/*/venv clients/swarm/truth/peers/*/venv
find . -path ./.git -prune -o -path ./results -prune -o \( -name node_modules -o -name .installed \) -prune -exec rm -rf {} +
rm -rf clients/swarm/target clients/serial/target infra/link/target clients/serial/*/target clients/goroutines/target servers/target \
  servers/*/target servers/*/venv servers/page-delivery/*/target
