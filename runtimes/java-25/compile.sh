#!/usr/bin/env bash
# Compiles Java for the runtime in this folder. Replaces javac and takes its options: see ../java/build.sh.
# usage: compile.sh OPTION... FILE...
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=$(dirname "$(dirname "$(readlink -f "$here/bin/java")")")
exec "$here/../java/bin/java" -jar "$here"/target/lib/ecj-*.jar -failOnWarning -proc:none --release 21 --system "$home" "$@"
