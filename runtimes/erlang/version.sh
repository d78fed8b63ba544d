#!/usr/bin/env bash
# Prints the version of a library, from the name of its folder.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

folder=${1:?usage: version.sh FOLDER PACKAGE}
package=${2:?usage: version.sh FOLDER PACKAGE}
for library in "$folder/target/lib/$package"-[0-9]*; do
  [[ -d $library ]] || exit 1
  echo "${library##*/"$package"-}"
  exit
done
