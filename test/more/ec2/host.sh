#!/usr/bin/env bash
# host: a stand-in for an instance. It runs the user data and an sshd, in its own namespaces on the bridge of world.sh.
# usage: host.sh FOLDER ADDRESS      FOLDER has user-data, authorized_keys and host_key; it gets shutdown.log
# A scheduled shutdown happens as soon as FOLDER/../hours-are-over exists.
# Provisioning changes only its own files: /run, /tmp, /root, settings below /etc, and copies of the kernel's settings.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

if [[ $1 != --inside ]]; then
  # Set first: on a busy machine the host may get SIGTERM while it is being created
  trap 'kill -9 %1 2> /dev/null || true' EXIT
  trap 'exit 0' TERM
  unshare --net --pid --mount --uts --fork --kill-child --mount-proc -- "$0" --inside "$@" &
  until [ -e "/proc/$!/ns/net" ] && ! [ "/proc/$!/ns/net" -ef "/proc/$$/ns/net" ]; do sleep 0.01; done
  ip link delete "v${2##*.}" 2> /dev/null || true # left by an earlier host with this address
  ip link add "v${2##*.}" type veth peer name eth0 netns $!
  ip link set "v${2##*.}" master br0 up
  wait
  exit 0
fi
folder=$2 address=$3 world=$(dirname "$2")

own() { # mounts an empty folder, unless the suite is below it; the folder of world.sh stays shared
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

# The real command would shut down the machine. This one ends the host once hours-are-over exists
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
