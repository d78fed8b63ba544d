#!/usr/bin/env bash
# world: a network without a way out, until standard input closes; moto stands in for Amazon, namespaces for instances.
# usage: world.sh FOLDER
# It prints "ready" once the stand-in answers at http://127.0.0.1:5556. To use it, enter its first process's namespaces:
#   nsenter --target PID --net --mount --pid -- make ec2-list REGION=us-east-1
# FOLDER gets the logs and the files of stand-in.js and host.sh. Needs root. All of it ends with that process.
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
# These servers must not hold this script's output open: whoever reads it to its end would wait for them
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
