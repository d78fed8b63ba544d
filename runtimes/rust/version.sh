#!/usr/bin/env bash
# The version of a crate in the lock of the workspace beside the folder, the only one that its build takes, on standard output.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

lock=$(dirname "${1:?usage: version.sh FOLDER PACKAGE}")/Cargo.lock
awk -v crate="\"${2:?usage: version.sh FOLDER PACKAGE}\"" '
  $1 == "name" { is_wanted = $3 == crate }
  $1 == "version" && is_wanted { gsub(/"/, "", $3); print $3; found = 1; exit }
  END { exit !found }
' "$lock"
