#!/usr/bin/env bash
# The version of the Debian package that a library came from, without Debian's own revision, on standard output; where the folder has a
# Cargo.lock, that of the crate whose sources are built.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

if [[ -f ${1:?usage: version.sh FOLDER PACKAGE}/Cargo.lock ]]; then
  exec "$(dirname "${BASH_SOURCE[0]}")/../rust/version.sh" "$1/." "${2:?usage: version.sh FOLDER PACKAGE}"
fi
version=$(dpkg-query -W -f '${Version}' "${2:?usage: version.sh FOLDER PACKAGE}")
version=${version#*:}
version=${version%+b[0-9]*} # built again by Debian, of the same sources
echo "${version%-*}"
