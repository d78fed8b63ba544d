#!/bin/sh
# held: runs a program until it exits or standard input ends. A program started by plain ssh survives the death of the ssh client; this one
# does not.
#
#   ssh HOST infra/hosts/held.sh PROGRAM [ARGUMENT]...    (keep standard input open as long as it should run)
#
# The exit code is the program's. The program's own standard input is empty.
exec 3<&0
setsid "$@" < /dev/null 3<&- &
program=$!
# A background command reads from /dev/null unless it is redirected, hence descriptor 3
{
  cat <&3
  trap '' TERM # what ignores the signal gets the next one, though the program has ended
  kill -TERM -- "-$program"
  sleep 2
  kill -KILL -- "-$program"
} > /dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$program"
code=$?
kill "$watch" 2> /dev/null
exit "$code"
