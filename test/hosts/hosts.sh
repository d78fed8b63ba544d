#!/usr/bin/env bash
# hosts: several hosts on one machine, until standard input closes. Each is an sshd in its own network, process, mount,
# host-name and time namespaces. A bridge joins them.
# usage: hosts.sh FOLDER COUNT [RTT_US]
# It writes a key, known_hosts, ssh_config and hosts.toml to FOLDER. The first host is the server, the others are
# clients; a single host is both. All use this installation of the suite. It prints "ready" once all hosts answer. They
# can be reached from its network namespace:
#   nsenter --net=/proc/PID/ns/net make experiment-3 HOSTS=FOLDER/hosts.toml
# Each host has its own /tmp. The monotonic clock of host N is ahead by N * 100,000 s. This needs root.
# RTT_US is added to the round trip to each client host by infra/link (make install PARTS=infra/link), which uses a core
# while frames pass.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$PATH:/usr/sbin:/sbin

address() { echo "10.77.$(($1 / 250)).$(($1 % 250 + 1))"; }

# Runs in the host's namespaces, with its own /tmp, /run and /dev/shm. If the suite or FOLDER is below /tmp, it is
# mounted there again.
as_host() { # number folder
  mount --make-rprivate /
  local kept=0
  mount -t tmpfs none /mnt
  for each in "$root" "$2"; do
    case $each in /tmp/*) mkdir "/mnt/$((++kept))" && mount --bind "$each" "/mnt/$kept" ;; esac
  done
  mount -t tmpfs none /tmp
  kept=0
  for each in "$root" "$2"; do
    case $each in /tmp/*) mkdir -p "$each" && mount --bind "/mnt/$((++kept))" "$each" ;; esac
  done
  mount -t tmpfs none /run
  mount -t tmpfs none /dev/shm
  mkdir /run/sshd
  hostname "h$1"
  ip link set lo up
  until ip link show eth0 > /dev/null 2>&1; do sleep 0.02; done
  ip addr add "$(address "$1")/16" dev eth0
  ip link set eth0 up txqueuelen 10000
  exec /usr/sbin/sshd -D -f "$2/h$1/sshd_config" -E "$2/h$1/sshd.log"
}

# Connects the bridge to the network namespace of a process, as its eth0.
plug() { # number pid rtt_us
  local made carrier
  if [ -z "$3" ] || [ "$1" = 1 ]; then
    ip link add "v$1" type veth peer name eth0 netns "$2"
  else
    exec {made}< <(exec "$root/infra/link/target/release/wscale-link" "$2" "$3" 0)
    carrier=$!
    read -r _ <&"$made"
    ip link set eth0 name "v$1"
    ip link set "v$1" txqueuelen 10000 # so that no frame is dropped while wscale-link waits for a CPU
    kill -USR1 "$carrier"
  fi
  ip link set "v$1" master br0 up
}

as_lan() { # folder count rtt_us
  ip link set lo up
  ip link add br0 type bridge
  ip addr add 10.77.255.254/16 dev br0
  ip link set br0 up
  for ((i = 1; i <= $2; i++)); do
    unshare --net --pid --mount --uts --time --monotonic $((i * 100000)) --fork --kill-child --mount-proc -- "$0" --host "$i" "$1" < /dev/null &
    until [ -e "/proc/$!/ns/net" ] && ! [ "/proc/$!/ns/net" -ef /proc/$$/ns/net ]; do sleep 0.01; done
    plug "$i" $! "$3"
  done
  for ((i = 1; i <= $2; i++)); do
    for ((look = 1; look <= 4000; look++)); do
      (exec 3<> "/dev/tcp/$(address "$i")/22") 2> /dev/null && break
      sleep 0.02
    done
    [ "$look" -le 4000 ] || { echo "error: hosts.sh: h$i does not answer; read $1/h$i/sshd.log" >&2; exit 1; }
  done
  echo ready
  cat > /dev/null
}

write_files() { # folder count
  ssh-keygen -q -t ed25519 -N '' -C wscale-test -f "$1/key"
  printf 'Host *\n  User root\n  IdentityFile %s/key\n  IdentitiesOnly yes\n  UserKnownHostsFile %s/known_hosts\n  StrictHostKeyChecking yes\n' "$1" "$1" > "$1/ssh_config"
  echo 'ssh_config = "ssh_config"' > "$1/hosts.toml"
  for ((i = 1; i <= $2; i++)); do
    mkdir "$1/h$i"
    ssh-keygen -q -t ed25519 -N '' -C "h$i" -f "$1/h$i/key"
    echo "$(address "$i") $(cut -d ' ' -f 1,2 "$1/h$i/key.pub")" >> "$1/known_hosts"
    cat > "$1/h$i/sshd_config" << END
Port 22
ListenAddress $(address "$i")
HostKey $1/h$i/key
PidFile none
AuthorizedKeysFile $1/key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
MaxSessions 100
END
    role=client
    [ "$i" -gt 1 ] || role=server
    [ "$2" -gt 1 ] || role=both
    printf '\n[[hosts]]\nname = "h%s"\nssh = "%s"\nrole = "%s"\naddress = "%s"\nsuite = "%s"\n' "$i" "$(address "$i")" "$role" "$(address "$i")" "$root" >> "$1/hosts.toml"
  done
}

case ${1:?usage: hosts.sh FOLDER COUNT [RTT_US]} in
  --host) as_host "$2" "$3" ;;
  --lan) as_lan "$2" "$3" "$4" ;;
  *)
    folder=$(cd "$1" && pwd)
    write_files "$folder" "${2:?usage: hosts.sh FOLDER COUNT [RTT_US]}"
    # If it is killed, the kernel kills all that it started: a process namespace ends with its first process
    exec unshare --net --pid --mount --fork --kill-child --mount-proc -- "$0" --lan "$folder" "$2" "${3-}"
    ;;
esac
