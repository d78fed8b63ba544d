#!/usr/bin/env bash
# The version of the Debian package that a library came from, without Debian's own revision, on standard output.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

version=$(dpkg-query -W -f '${Version}' "${2:?usage: version.sh FOLDER PACKAGE}")
version=${version#*:}
echo "${version%-*}"
