#!/usr/bin/env bash
# hold: two network namespaces, joined by a veth pair, for as long as this process lives.
#
#   infra/namespaces/hold.sh [--try] [rate_mbit=1000] [tcp_timestamps=0]...
#
# With --try it ends when all is set up: does this machine permit it? rate_mbit is the link's rate, each way (a token bucket, tc-tbf(8)); without
# it there is no limit but the CPU. Each other argument is a setting below net.ipv4, for both namespaces. When all is set up it prints one line,
#   ready {"processes":[{"pid":N,"role":"namespace","index":1},{"pid":M,"role":"namespace","index":2}]}
# N is in the client's namespace, M in the server's; nsenter --net=/proc/PID/ns/net runs a program there. Each has one device, eth0: the
# client's is 10.213.0.2, the server's 10.213.0.1. Namespaces and devices go with the last process in them, however that ends: nothing
# is ever left to remove. Root is not needed where users may make namespaces of their own (user_namespaces(7)).
#
# What crosses the pair is TCP/IP as on Ethernet: an MTU of 1500, and no offloads, which would show the kernel's own units in the place
# of frames. Neighbours are told, and there is no IPv6, so that nothing crosses but what the two ends send.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # where a user who is not root may not look
mtu=1500
client=10.213.0.2
server=10.213.0.1

# fail <what, with the value> <next step>
fail() {
  printf 'error: namespaces: %s; %s\n' "$1" "$2" >&2
  exit 71
}

if [[ ${1-} != inside ]]; then
  own_user=()
  ((EUID == 0)) || own_user=(--user --map-root-user)
  # A new user namespace forgets that this process is to die with its parent
  exec unshare "${own_user[@]}" --net -- setpriv --pdeathsig KILL -- "$0" inside "$@"
fi
shift
is_try=
[[ ${1-} != --try ]] || { is_try=1; shift; }

setpriv --pdeathsig KILL -- unshare --net -- sleep infinity > /dev/null &
peer=$!
until [[ $(readlink "/proc/$peer/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do
  kill -0 "$peer" 2> /dev/null || fail 'the server has no namespace' 'run it as root, or as a user who may make namespaces'
  sleep 0.005
done

ip link add eth0 mtu "$mtu" type veth peer name eth0 mtu "$mtu" netns "$peer"

# set_up <own address> <the other's address> <the other's hardware address> <settings below net.ipv4...>
set_up() {
  local address=$1 other=$2 hardware=$3 setting feature
  shift 3
  for setting in "$@"; do
    case $setting in
      # Bursts of some twenty frames: fewer than a socket holds. What does not pass yet waits, and none of it is dropped
      rate_mbit=*) tc qdisc add dev eth0 root tbf rate "${setting#*=}mbit" burst 32kb limit 64mb ;;
      *) printf '%s\n' "${setting#*=}" > "/proc/sys/net/ipv4/${setting%%=*}" ;;
    esac
  done
  [[ ! -e /proc/sys/net/ipv6 ]] || printf '1\n' > /proc/sys/net/ipv6/conf/all/disable_ipv6
  ethtool -K eth0 tso off gso off gro off > /dev/null
  for feature in tcp-segmentation-offload generic-segmentation-offload generic-receive-offload; do
    grep -q "^$feature: off" <<< "$(ethtool -k eth0)" || fail "eth0: $feature is not off" 'this kernel can not show frames as they would be on a wire'
  done
  ip link set lo up
  ip address add "$address/24" dev eth0
  ip link set eth0 up
  ip neighbour replace "$other" lladdr "$hardware" nud permanent dev eth0
}

export -f set_up fail
in_peer() { nsenter --net="/proc/$peer/ns/net" -- "$@"; }
peer_hardware=$(in_peer ip -brief link show eth0 | awk '{ print $3 }')
own_hardware=$(ip -brief link show eth0 | awk '{ print $3 }')
set_up "$client" "$server" "$peer_hardware" "$@"
in_peer bash -c 'set -euo pipefail; set_up "$@"' set_up "$server" "$client" "$own_hardware" "$@"
printf 'ready {"processes":[{"pid":%d,"role":"namespace","index":1},{"pid":%d,"role":"namespace","index":2}]}\n' "$$" "$peer"
[[ -z $is_try ]] || { kill "$peer"; exit 0; }
exec sleep infinity
