#!/usr/bin/env bash
# The version of a crate in the lock of the workspace beside the folder, the only one that its build takes, on standard output. Where
# the workspace has several of that crate, the lock names that of the folder's own package among its dependencies.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

folder=${1:?usage: version.sh FOLDER PACKAGE}
server=$(sed -n '/^name = /{p;q;}' "$folder/Cargo.toml" 2> /dev/null) || server='' # as the lock has it
awk -v crate="\"${2:?usage: version.sh FOLDER PACKAGE}\"" -v server="$server" '
  $1 == "name" { is_wanted = $3 == crate; is_own = $0 == server }
  $1 == "version" && is_wanted { version = $3 }
  is_own && $1 "\"" == crate && NF == 2 { own = $2 } # "crate 1.2.3",
  END {
    if (own != "") version = own
    gsub(/[",]/, "", version)
    print version
    exit version == ""
  }
' "$(dirname "$folder")/Cargo.lock"
