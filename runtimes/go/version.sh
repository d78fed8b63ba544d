#!/usr/bin/env bash
# The version of a module in the go.mod of the folder, whose versions are the only ones that its build takes, on standard output.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

manifest=${1:?usage: version.sh FOLDER PACKAGE}/go.mod
awk -v module="${2:?usage: version.sh FOLDER PACKAGE}" '
  { sub(/^[ \t]*(require )?[ \t]*/, "") }
  $1 == module { print $2; found = 1; exit }
  END { exit !found }
' "$manifest"
