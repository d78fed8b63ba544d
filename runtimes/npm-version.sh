#!/usr/bin/env bash
# The version of a package that npm installed, on standard output.
# usage: npm-version.sh FOLDER PACKAGE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
manifest="${1:?usage: npm-version.sh FOLDER PACKAGE}/node_modules/${2:?usage: npm-version.sh FOLDER PACKAGE}/package.json"
exec "$here/node-24/bin/node" -p 'require(process.argv[1]).version' "$(realpath -e "$manifest")"
