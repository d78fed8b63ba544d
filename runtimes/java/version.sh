#!/usr/bin/env bash
# Prints the version of a library, from the name of its jar; for the package `jdk`, the version of the JDK.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: version.sh FOLDER PACKAGE}
package=${2:?usage: version.sh FOLDER PACKAGE}
if [[ $package == jdk ]]; then
  "$here/bin/java" --version | awk 'NR == 1 { print $2 }'
  exit
fi
for jar in "$folder/target/lib/$package"-[0-9]*.jar; do
  [[ -e $jar ]] || exit 1
  jar=${jar##*/"$package"-}
  echo "${jar%.jar}"
  exit
done
