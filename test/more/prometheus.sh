#!/usr/bin/env bash
# Unpacks Debian's Prometheus into a folder, without installing it: its package would start it as a service.
# usage: prometheus.sh FOLDER
#
# Prints the path of the program.
set -euo pipefail
cd "$1"
apt-get -qq download prometheus > /dev/null 2>&1 || {
  as_root=()
  ((EUID == 0)) || as_root=(sudo -n)
  "${as_root[@]}" apt-get -qq update > /dev/null && apt-get -qq download prometheus
}
dpkg -x prometheus_*.deb .
printf '%s\n' "$PWD/usr/bin/prometheus"
