#!/usr/bin/env bash
# apart: runs a program in its own mount, process, network and time namespaces, as if on another host.
# usage: apart.sh PROGRAM [ARGUMENT]...
# The program has its own loopback, /dev/shm and /tmp. If the suite is below /tmp, it is mounted there again. The
# monotonic clock is 1,000,000 s ahead. The program sees only its own processes.
# If it is killed, the kernel kills all that it started.
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
