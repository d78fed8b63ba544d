#!/usr/bin/env bash
# hold: makes two network namespaces with a link between them. They exist as long as this process.
#
#   infra/namespaces/hold.sh [--try] [congestion=cubic] [rtt_us=100] [rate_mbit=1000] [link=netem] [tcp_timestamps=0]...
#
# With --try it exits after the setup: does this machine permit it? `congestion` sets the congestion control of both ends.
# Without rtt_us and rate_mbit the link is a veth pair, as fast as the CPU. With either one, rtt_us is added to the round trip (half in
# each direction, default 0), and rate_mbit limits the rate in each direction (default no limit). With link=netem (the kernel must have
# it) this is a veth pair with tc-netem(8) at both ends, slow at once. Otherwise it is two TAP devices, and ../link carries their frames;
# the link becomes slow when its process gets SIGUSR1. Each other argument is a setting below net.ipv4, for both namespaces. After the
# setup it prints one line,
#   ready {"processes":[{"pid":N,"role":"namespace","index":1},{"pid":M,"role":"namespace","index":2},{"pid":L,"role":"link","index":1}]}
# N is in the client's namespace, M in the server's; nsenter --net=/proc/PID/ns/net runs a program there. L is the process of ../link, if
# any. Each namespace has one device, eth0: the client's is 10.213.0.2, the server's 10.213.0.1. Namespaces and devices disappear with the
# last process in them, however it ends, so nothing needs cleaning up. Root is not needed if users may make namespaces
# (user_namespaces(7)), except for TAP devices.
#
# The link carries TCP/IP as on Ethernet: MTU 1500, and no offloads, because with them a capture shows larger units than frames. Neighbour
# entries are static, and there is no IPv6, so that the link carries only packets of the two ends.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # not in the PATH of every user
mtu=1500
client=10.213.0.2
server=10.213.0.1
carrier=$(dirname "$0")/../link/target/release/wscale-link

# fail <what, with the value> <next step>
fail() {
  printf 'error: namespaces: %s; %s\n' "$1" "$2" >&2
  exit 71
}

if [[ ${1-} != inside ]]; then
  own_user=()
  ((EUID == 0)) || own_user=(--user --map-root-user)
  # Set pdeathsig after unshare: a new user namespace clears it
  exec unshare "${own_user[@]}" --net -- setpriv --pdeathsig KILL -- "$0" inside "$@"
fi
shift
is_try=
[[ ${1-} != --try ]] || { is_try=1; shift; }

rtt_us='' rate_mbit='' congestion='' link=carried
settings=()
for setting in "$@"; do
  case $setting in
    rtt_us=* | rate_mbit=* | congestion=* | link=*) declare "$setting" ;;
    *) settings+=("$setting") ;;
  esac
done
[[ -n $rtt_us$rate_mbit ]] || link=none

setpriv --pdeathsig KILL -- unshare --net -- sleep infinity > /dev/null &
peer=$!
until [[ $(readlink "/proc/$peer/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do
  kill -0 "$peer" 2> /dev/null || fail 'the server has no namespace' 'run it as root, or as a user who may make namespaces'
  sleep 0.005
done

# $carrying is the process of ../link, if it is used; set once both devices eth0 exist.
carrying=
join_by_carrier() {
  local made
  [[ -x $carrier ]] || fail "there is no $carrier" 'build it: ./wscale install'
  coproc carrier { exec "$carrier" "$peer" "${rtt_us:-0}" "${rate_mbit:-0}"; }
  carrying=$!
  read -r made <&"${carrier[0]}" || fail 'no frames can be carried' 'read the line above'
  [[ $made == made ]] || fail "the link said $made" 'build it anew: ./wscale install'
}
if [[ $link == carried ]]; then join_by_carrier; else ip link add eth0 mtu "$mtu" type veth peer name eth0 mtu "$mtu" netns "$peer"; fi

# set_up <own address> <the other's address> <the other's hardware address> <link> <rtt_us> <rate_mbit> <congestion> <settings below net.ipv4...>
set_up() {
  local address=$1 other=$2 hardware=$3 link=$4 rtt_us=$5 rate_mbit=$6 congestion=$7 setting feature
  shift 7
  for setting in "$@"; do printf '%s\n' "${setting#*=}" > "/proc/sys/net/ipv4/${setting%%=*}"; done
  [[ ! -e /proc/sys/net/ipv6 ]] || printf '1\n' > /proc/sys/net/ipv6/conf/all/disable_ipv6
  ethtool -K eth0 tso off gso off gro off > /dev/null
  for feature in tcp-segmentation-offload generic-segmentation-offload generic-receive-offload; do
    grep -q "^$feature: off" <<< "$(ethtool -k eth0)" || fail "eth0: $feature is not off" 'this kernel can not show frames as they would be on a wire'
  done
  # The queue of frames for the program of a TAP device: long, so that none is dropped while the program waits for a CPU
  [[ $link != carried ]] || ip link set eth0 txqueuelen 10000
  # 24 B: preamble, checksum and gap, as in ../link. limit: maximum frames in the queue
  [[ $link != netem ]] || tc qdisc add dev eth0 root netem limit 40000 delay "$((${rtt_us:-0} * 500))ns" ${rate_mbit:+rate "${rate_mbit}mbit" 24}
  ip link set lo up
  ip address add "$address/24" dev eth0
  ip link set eth0 up
  ip neighbour replace "$other" lladdr "$hardware" nud permanent dev eth0
  if [[ -n $congestion ]]; then
    # Set by a route: an unprivileged namespace may not set the sysctl
    ip route replace "${address%.*}.0/24" dev eth0 proto kernel scope link src "$address" congctl "$congestion" ||
      fail "congestion control $congestion can not be set" 'use one of /proc/sys/net/ipv4/tcp_available_congestion_control'
  fi
}

export -f set_up fail
in_peer() { nsenter --net="/proc/$peer/ns/net" -- "$@"; }
peer_hardware=$(in_peer ip -brief link show eth0 | awk '{ print $3 }')
own_hardware=$(ip -brief link show eth0 | awk '{ print $3 }')
terms=("$link" "$rtt_us" "$rate_mbit" "$congestion" "${settings[@]}")
set_up "$client" "$server" "$peer_hardware" "${terms[@]}"
in_peer bash -c 'set -euo pipefail; set_up "$@"' set_up "$server" "$client" "$own_hardware" "${terms[@]}"
printf 'ready {"processes":[{"pid":%d,"role":"namespace","index":1},{"pid":%d,"role":"namespace","index":2}%s]}\n' "$$" "$peer" \
  "${carrying:+,{\"pid\":$carrying,\"role\":\"link\",\"index\":1\}}"
[[ -z $is_try ]] || { kill "$peer" ${carrying:+"$carrying"}; exit 0; }
exec sleep infinity
