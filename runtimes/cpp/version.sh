#!/usr/bin/env bash
# Prints the version of a library's Debian package, without Debian's revision. If the folder has a Cargo.lock, prints the version of the
# crate with its sources instead.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

if [[ -f ${1:?usage: version.sh FOLDER PACKAGE}/Cargo.lock ]]; then
  exec "$(dirname "${BASH_SOURCE[0]}")/../rust/version.sh" "$1/." "${2:?usage: version.sh FOLDER PACKAGE}"
fi
version=$(dpkg-query -W -f '${Version}' "${2:?usage: version.sh FOLDER PACKAGE}")
version=${version#*:}
version=${version%+b[0-9]*} # rebuilt by Debian from the same sources
echo "${version%-*}"
