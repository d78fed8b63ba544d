#!/bin/sh
# held: a program that ends when standard input does. A program that was started by ssh outlives the death of its client; this one does not.
#
#   ssh HOST infra/hosts/held.sh PROGRAM [ARGUMENT]...    with standard input held open for as long as it is to run
#
# The exit code is the program's. Its own standard input is empty.
exec 3<&0
setsid "$@" < /dev/null 3<&- &
program=$!
# What runs behind an & reads from /dev/null, unless it is told otherwise
{
  cat <&3 > /dev/null
  kill -TERM -- "-$program"
  sleep 2
  kill -KILL -- "-$program"
} 2> /dev/null &
watch=$!
exec 3<&-
wait "$program"
code=$?
kill "$watch" 2> /dev/null
exit "$code"
