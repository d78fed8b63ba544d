#!/usr/bin/env bash
# apart: a program in mount, pid, network and time namespaces of its own, as if on another host.
# usage: apart.sh PROGRAM [ARGUMENT]...
# Its /dev/shm is another one, and its /tmp, into which the suite alone is brought where it lies below /tmp; its loopback is
# another one; its monotonic clock is 1,000,000 s ahead; it sees no process but its own.
# Killed, it takes with it whatever it started.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2016 # expanded inside
exec unshare --mount --pid --net --time --monotonic 1000000 --fork --kill-child --mount-proc -- \
  bash -c '
    case $1 in /tmp/*) mount --bind "$1" /mnt ;; esac
    mount -t tmpfs none /dev/shm
    mount -t tmpfs none /tmp
    case $1 in /tmp/*) mkdir -p "$1" && mount --bind /mnt "$1" && cd "$1" ;; esac
    PATH=$PATH:/sbin:/usr/sbin ip link set lo up && exec "${@:2}"
  ' apart "$root" "$@"
