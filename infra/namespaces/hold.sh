#!/usr/bin/env bash
# hold: two network namespaces with a cable between them, for as long as this process lives.
#
#   infra/namespaces/hold.sh [--try] [congestion=cubic] [rtt_us=100] [rate_mbit=1000] [link=netem] [tcp_timestamps=0]...
#
# With --try it ends when all is set up: does this machine permit it? congestion is the congestion control of both ends, whatever the
# machine's own is. Without rtt_us and rate_mbit the cable is a veth pair, as fast as the CPU; with either, a link that adds rtt_us to a
# round trip (half each way, 0 where it is not given) and has this rate, each way (no limit where it is not given): a veth pair
# with tc-netem(8) at both ends, where link=netem says that the kernel has it, or two TAP devices whose frames ../link carries. It is
# slow from SIGUSR1 to the link on, with netem at once. Each other argument is a setting below net.ipv4, for both namespaces. When all is
# set up it prints one line,
#   ready {"processes":[{"pid":N,"role":"namespace","index":1},{"pid":M,"role":"namespace","index":2},{"pid":L,"role":"link","index":1}]}
# N is in the client's namespace, M in the server's; nsenter --net=/proc/PID/ns/net runs a program there. L carries the frames, where one does.
# Each namespace has one device, eth0: the client's is 10.213.0.2, the server's 10.213.0.1. Namespaces and devices go with the last process
# in them, however that ends: nothing is ever left to remove. Root is not needed where users may make namespaces of their own
# (user_namespaces(7)), save for TAP devices.
#
# What crosses is TCP/IP as on Ethernet: an MTU of 1500, and no offloads, which would show the kernel's own units in the place
# of frames. Neighbours are told, and there is no IPv6, so that nothing crosses but what the two ends send.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # where a user who is not root may not look
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
  # A new user namespace forgets that this process is to die with its parent
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

# Once there are two devices eth0, $carrying is what carries frames between them, if anything does.
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
  # A TAP device holds so many frames for its program: it is to drop none when that has waited for a CPU
  [[ $link != carried ]] || ip link set eth0 txqueuelen 10000
  # 24 B: preamble, checksum and gap, as ../link has it. So many frames wait at most
  [[ $link != netem ]] || tc qdisc add dev eth0 root netem limit 40000 delay "$((${rtt_us:-0} * 500))ns" ${rate_mbit:+rate "${rate_mbit}mbit" 24}
  ip link set lo up
  ip address add "$address/24" dev eth0
  ip link set eth0 up
  ip neighbour replace "$other" lladdr "$hardware" nud permanent dev eth0
  if [[ -n $congestion ]]; then
    # A sysctl of it is not to be had in a namespace of one's own; a route can say it
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
