#!/usr/bin/env bash
# Checks everything that a target needs of this machine before anything is installed or built: first the permissions of this user, then the
# Debian packages. apt-install.sh installs those that this release has; programs that need others report it when they run.
# usage: check-first.sh [permit:NAME]... [PACKAGE[:COMMAND]]...
#
# permit:capture  to capture packets: as root, or in the user's own network namespace
# permit:link     to make a link with a given rate and delay: with tc-netem(8) or TAP devices
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # not in the PATH of every user
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# is_inside <command>...: whether it succeeds in a network namespace of this user
is_inside() {
  local own_user=()
  ((EUID == 0)) || own_user=(--user --map-root-user)
  unshare "${own_user[@]}" --net "$@" 2> /dev/null
}

# permits <name>: assumes that a link is possible if tc is not installed yet; then only the run can tell
permits() {
  case $1 in
    capture) ((EUID == 0)) || is_inside true ;;
    link) is_inside true && { [[ -w /dev/net/tun ]] || ! command -v tc > /dev/null || is_inside tc qdisc add dev lo root netem delay 1us; } ;;
  esac
}

# What keeps users from it: AppArmor in Ubuntu 24.04 and later, else Debian's own setting
switch=kernel.unprivileged_userns_clone=1
[[ $(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2> /dev/null) != 1 ]] || switch=kernel.apparmor_restrict_unprivileged_userns=0
declare -A refused=(
  [capture]='packets are to be captured, for which this user (%s) may make no network namespace; run it as root, or let users make some: sudo sysctl -w '"$switch"
  [link]='a link of a stated rate and delay is to be made, for which this user (%s) has neither tc-netem nor /dev/net/tun; run it as root'
)

problems=() packages=()
for wanted in "$@"; do
  case $wanted in
    permit:*)
      name=${wanted#permit:}
      # shellcheck disable=SC2059 # the words are ours
      permits "$name" || problems+=("$(printf "error: $name: ${refused[$name]}" "$(id -un)")") ;;
    *) packages+=("$wanted") ;;
  esac
done
if ((${#problems[@]} == 0)); then
  ((${#packages[@]} == 0)) || exec "$here/apt-install.sh" --if-there "${packages[@]}"
  exit 0
fi
printf '%s\n' "${problems[@]}" >&2
mapfile -t lacking < <("$here/apt-install.sh" --lacking ${packages[@]+"${packages[@]}"})
((${#lacking[@]} == 0)) || printf 'these packages are lacking too, and were not installed: apt-get install --no-install-recommends %s\n' "${lacking[*]}" >&2
exit 77
