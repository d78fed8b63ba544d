#!/usr/bin/env bash
# Prints the version of Crystal: its standard library is the engine.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ${2:?usage: version.sh FOLDER PACKAGE} == crystal ]] || exit 1
exec "$here/bin/crystal" env CRYSTAL_VERSION
