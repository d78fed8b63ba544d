#!/usr/bin/env bash
# host: stands in for an instance: runs its user data, and has an sshd, in namespaces of its own on the bridge of world.sh.
# usage: host.sh FOLDER ADDRESS      FOLDER has user-data, authorized_keys and host_key; it gets shutdown.log
# Where it was told to shut down at some time, it does so as soon as there is FOLDER/../hours-are-over.
# What it is set up with is its own: /run, /tmp, /root, settings below /etc, what the kernel keeps for all hosts.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

if [[ $1 != --inside ]]; then
  # Before there is anything to end: a busy machine may be told to end a host while it is made
  trap 'kill -9 %1 2> /dev/null || true' EXIT
  trap 'exit 0' TERM
  unshare --net --pid --mount --uts --fork --kill-child --mount-proc -- "$0" --inside "$@" &
  until [ -e "/proc/$!/ns/net" ] && ! [ "/proc/$!/ns/net" -ef "/proc/$$/ns/net" ]; do sleep 0.01; done
  ip link delete "v${2##*.}" 2> /dev/null || true # of a host that had the address, whose namespace the kernel still takes down
  ip link add "v${2##*.}" type veth peer name eth0 netns $!
  ip link set "v${2##*.}" master br0 up
  wait
  exit 0
fi
folder=$2 address=$3 world=$(dirname "$2")

own() { # a folder of its own, unless the suite lies below it; the world's is everyone's
  case $root/ in "$1"/*) return ;; esac
  case $world/ in "$1"/*) mkdir -p /mnt/kept && mount --bind "$world" /mnt/kept ;; esac
  mount -t tmpfs none "$1"
  case $world/ in "$1"/*) mkdir -p "$world" && mount --bind /mnt/kept "$world" ;; esac
}

mount --make-rprivate /
mount -t tmpfs none /mnt
for each in /run /tmp /dev/shm /root /etc/sysctl.d /etc/security/limits.d /var/lib/cloud; do
  if [ -d "$each" ]; then own "$each"; fi
done
mkdir -p /run/sshd
cp /proc/sys/kernel/sched_autogroup_enabled /mnt/autogroup
mount --bind /mnt/autogroup /proc/sys/kernel/sched_autogroup_enabled
for each in /sys/devices/system/cpu/cpu*/cpufreq; do
  if [ -d "$each" ]; then mount -t tmpfs none "$each"; fi
done
hostname "h${address##*.}"
ip link set lo up
until ip link show eth0 > /dev/null 2>&1; do sleep 0.02; done
ip addr add "$address/24" dev eth0
ip link set eth0 up

# It would end the machine. Here it ends the host, when all hours have come
mkdir /mnt/bin
cat > /mnt/bin/shutdown << END
#!/bin/sh
echo "\$@" >> $folder/shutdown.log
(until [ -e "$world/hours-are-over" ]; do sleep 0.2; done; kill -TERM 1) < /dev/null > /dev/null 2>&1 &
END
chmod 755 /mnt/bin/shutdown
PATH=/mnt/bin:$PATH sh "$folder/user-data"

cat > "$folder/sshd_config" << CONFIG
Port 22
ListenAddress $address
HostKey $folder/host_key
PidFile none
AuthorizedKeysFile $folder/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
MaxSessions 100
Subsystem sftp internal-sftp
CONFIG
exec /usr/sbin/sshd -D -f "$folder/sshd_config" -E "$folder/sshd.log"
