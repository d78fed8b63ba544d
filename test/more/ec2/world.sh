#!/usr/bin/env bash
# world: a network without a way out, in which moto stands in for Amazon and namespaces for its instances, as long as standard input is open.
# usage: world.sh FOLDER
# When Amazon answers at http://127.0.0.1:5556 it prints "ready"; what enters the namespaces of its first process may ask it:
#   nsenter --target PID --net --mount --pid -- make ec2-list REGION=us-east-1
# FOLDER gets the logs, and what stand-in.js and host.sh leave. It takes root. Nothing of it outlives that process.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$PATH:/usr/sbin:/sbin

if [[ $1 != --inside ]]; then
  exec unshare --net --pid --mount --fork --kill-child --mount-proc -- "$0" --inside "$(cd "$1" && pwd)"
fi
folder=$2
mount --make-rprivate /
ip link set lo up
ip link add br0 type bridge
ip addr add 10.214.0.1/24 dev br0 # the router of the subnet in stack.yaml
ip link set br0 up
# Descriptors of its output are not held: who reads the word "ready" would wait for them
"$here/venv/bin/moto_server" -H 127.0.0.1 -p 5555 < /dev/null > "$folder/moto.log" 2>&1 &
"$here/../../../runtimes/node-24/bin/node" "$here/stand-in.js" "$folder" < /dev/null > "$folder/stand-in.log" 2>&1 &
for port in 5555 5556; do
  for ((look = 1; look <= 2400; look++)); do
    (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break
    sleep 0.05
  done
  [ "$look" -le 2400 ] || { echo "error: world.sh: nothing answers on port $port; read the logs in $folder" >&2; exit 1; }
done
echo ready
cat > /dev/null
