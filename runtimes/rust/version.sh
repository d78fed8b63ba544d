#!/usr/bin/env bash
# Prints the version of a crate in the Cargo.lock of the folder's workspace: its build takes no other version. If the workspace has several
# versions, the lock file names the right one among the dependencies of the folder's own package.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

folder=${1:?usage: version.sh FOLDER PACKAGE}
server=$(sed -n '/^name = /{p;q;}' "$folder/Cargo.toml" 2> /dev/null) || server='' # in the form of the lock file
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
