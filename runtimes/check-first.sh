#!/usr/bin/env bash
# All that a target needs of this machine, told at once, before anything is installed or built: first what this user has to be permitted,
# then the Debian packages, which apt-install.sh installs as far as this release has them: what needs another says so when it is run.
# usage: check-first.sh [permit:NAME]... [PACKAGE[:COMMAND]]...
#
# permit:capture  packets are captured: as root, or in a network namespace of the user's own
# permit:link     a link of a stated rate and delay is made: by tc-netem(8), or of TAP devices
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # where a user who is not root may not look
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# is_inside <command>...: does it succeed in a network namespace of this user's?
is_inside() {
  local own_user=()
  ((EUID == 0)) || own_user=(--user --map-root-user)
  unshare "${own_user[@]}" --net "$@" 2> /dev/null
}

# permits <name>: where tc is not installed yet, only the run can tell of a link
permits() {
  case $1 in
    capture) ((EUID == 0)) || is_inside true ;;
    link) is_inside true && { [[ -w /dev/net/tun ]] || ! command -v tc > /dev/null || is_inside tc qdisc add dev lo root netem delay 1us; } ;;
  esac
}

declare -A refused=(
  [capture]='packets are to be captured, for which this user (%s) may make no network namespace; run it as root, or let users make some: sudo sysctl -w kernel.unprivileged_userns_clone=1'
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
