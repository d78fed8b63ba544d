#!/bin/sh
# Runs a program in a control group from its first instruction on.
# usage: confine.sh GROUP PROGRAM [ARGUMENT]...
set -eu
echo $$ > "$1/cgroup.procs"
shift
exec "$@"
