#!/usr/bin/env bash
# apart: a program in mount, pid, network and time namespaces of its own, as if on another host.
#
#   test/smoke/apart.sh PROGRAM ARGUMENT...
#
# Its files of /tmp, its processes, its loopback and its monotonic clock (a million seconds ahead) are none of its caller's. Standard input
# and output are. It ends when its caller does.
set -euo pipefail
# shellcheck disable=SC2016 # the inner shell's own
exec unshare --mount --pid --net --time --monotonic 1000000 --fork --kill-child --mount-proc -- \
  bash -c 'mount -t tmpfs none /tmp && PATH=$PATH:/sbin:/usr/sbin ip link set lo up && exec "$@"' apart "$@"
