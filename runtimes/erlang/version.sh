#!/usr/bin/env bash
# The version of a library in the name of its folder, on standard output.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

folder=${1:?usage: version.sh FOLDER PACKAGE}
package=${2:?usage: version.sh FOLDER PACKAGE}
for library in "$folder/target/lib/$package"-[0-9]*; do
  [[ -d $library ]] || exit 1
  echo "${library##*/"$package"-}"
  exit
done
