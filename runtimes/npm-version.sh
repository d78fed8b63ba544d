#!/usr/bin/env bash
# Prints the version of an installed npm package.
# usage: npm-version.sh FOLDER PACKAGE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
manifest="${1:?usage: npm-version.sh FOLDER PACKAGE}/node_modules/${2:?usage: npm-version.sh FOLDER PACKAGE}/package.json"
exec "$here/node-24/bin/node" -p 'require(process.argv[1]).version' "$(realpath -e "$manifest")"
