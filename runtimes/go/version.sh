#!/usr/bin/env bash
# Prints the version of a module in the folder's go.mod: its build takes no other version.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

manifest=${1:?usage: version.sh FOLDER PACKAGE}/go.mod
awk -v module="${2:?usage: version.sh FOLDER PACKAGE}" '
  { sub(/^[ \t]*(require )?[ \t]*/, "") }
  $1 == module { print $2; found = 1; exit }
  END { exit !found }
' "$manifest"
