#!/usr/bin/env bash
# Checks that README works on a fresh machine: makes a Debian or Ubuntu with only git and make in a folder, and runs README's two commands
# there, as root, on the last commit of this checkout.
# usage: check.sh SUITE [--keep]
#   SUITE   Debian bookworm or trixie; Ubuntu jammy (22.04), noble (24.04) or resolute (26.04)
#   --keep  keeps the folder; after a failure it is always kept
#
# Needs root, debootstrap, about 8 GB in TMPDIR (default /var/tmp), the archives of Debian or Ubuntu, the registries, and half an hour on
# two cores. This machine's settings for registries apply there too: certificates (bare.sh), /etc/pip.conf, /etc/npmrc, and the variables
# of a proxy. The new system shares only this machine's kernel and network.
set -euo pipefail

suite=${1-}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${TMPDIR:-/var/tmp}/wscale-newcomer-$suite
commands=('make experiment-3 PROFILE=quick' 'make test')

# build: makes a system of this suite with its updates, and the checkout's last commit in it
build() {
  "$root/infra/bare/bare.sh" "$suite" "$folder" git,make || exit
  cp -L /etc/resolv.conf "$folder/etc/"
  local file
  for file in /etc/pip.conf /etc/npmrc; do [[ ! -e $file ]] || cp "$file" "$folder$file"; done
  git -c safe.directory='*' -C "$root" diff --quiet HEAD || echo 'warning: what is not committed is not tried' >&2
  git -c safe.directory='*' clone --quiet --no-hardlinks "$root" "$folder/srv/wscale"
}

# inside <command>...: runs a command there; the PID namespace kills its processes at the end
inside() {
  local kept=() name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do [[ -z ${!name-} ]] || kept+=("$name=${!name}"); done
  # shellcheck disable=SC2016 # the inner shell expands them
  unshare --mount --pid --fork --kill-child --mount-proc="$folder/proc" bash -c '
    set -e
    for each in sys dev; do mount --rbind "/$each" "$0/$each"; done
    exec chroot "$0" env -i "$@"' \
    "$folder" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${kept[@]}" "$@"
}

# summarise <log>: prints the number of passed tests, the skipped tests with their reasons, and the failed tests
summarise() {
  grep -q "^# tests" "$1" || return 0 # an experiment
  awk '/^# (tests|pass|fail|skipped) [0-9]+$/ { line = line (line ? ", " : "  ") $3 " " $2 } END { if (line) print line }' "$1"
  sed -n 's/^ *ok [0-9]* - \(.*\) # SKIP \(.*\)/  skipped: \1: \2/p' "$1"
  awk -f "$root/.ci/failed-tests.awk" "$1" | sed 's/^/  /'
}

echo "building a bare $suite in $folder"
build
status=0 number=0
for command in "${commands[@]}"; do
  log=$folder-$((++number)).log
  echo "$suite: $command (its words: $log)"
  code=0 began=$SECONDS
  inside sh -c "cd /srv/wscale && exec nice $command" > "$log" 2>&1 < /dev/null || code=$?
  echo "$suite: $command: exit $code after $(((SECONDS - began) / 60)) min $(((SECONDS - began) % 60)) s"
  summarise "$log"
  ((code == 0)) || { status=1; tail -n 20 "$log"; }
done
# shellcheck disable=SC2016 # dpkg-query expands them
{ inside dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n' 'openjdk-*-jdk-headless' golang-go 'rustc*' erlang-base ruby g++ python3 \
  2> /dev/null || true; } | awk '$1 == "ii" { line = line (line ? ", " : "  with ") $2 " " $3 } END { print line }'
if ((status)) || [[ ${2-} == --keep ]]; then
  echo "left: $folder (chroot $folder); remove it: rm -r --one-file-system $folder"
else
  rm -r --one-file-system "$folder"
fi
exit "$status"
