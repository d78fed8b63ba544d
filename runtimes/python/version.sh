#!/usr/bin/env bash
# Prints the version of a package, from the name of its .dist-info folder in the virtual environment.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

folder=${1:?usage: version.sh FOLDER PACKAGE}
package=${2:?usage: version.sh FOLDER PACKAGE}
package=${package//-/_}
for installed in "$folder"/venv/lib/python3.*/site-packages/"$package"-[0-9]*.dist-info; do
  [[ -e $installed ]] || exit 1
  installed=${installed##*/"$package"-}
  echo "${installed%.dist-info}"
  exit
done
