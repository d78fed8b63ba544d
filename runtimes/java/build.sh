#!/usr/bin/env bash
# Builds a Java program: the libraries of its pom.xml into target/lib, its classes into target/classes.
# usage: build.sh SHARED [COMPILER...]      (in the program's folder)
# SHARED is the folder of shared sources, such as ../java. COMPILER replaces javac, with its options.
# pom.xml has exact versions. libraries.sha256 is their lock, with the digest of each jar, including transitive dependencies. After a
# change of pom.xml, in the program's folder: (export LC_ALL=C; cd target/lib && sha256sum -- *.jar) > libraries.sha256
set -euo pipefail
export LC_ALL=C # for the order of names in libraries.sha256

shared=${1:?usage: build.sh SHARED [COMPILER...]}
compile=("${@:2}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
copy_dependencies=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies

# fail <what, with the value> <next step>
fail() {
  printf 'error: %s: %s; %s\n' "${PWD#"$root"/}" "$1" "$2" >&2
  exit 70
}

rm -rf target
mkdir -p target/lib target/classes
libraries=()
if [[ -e pom.xml ]]; then
  exec 9< "${BASH_SOURCE[0]}"
  flock 9 # Maven's download folder is shared, and Maven does not lock it
  mvn --batch-mode --quiet --strict-checksums "$copy_dependencies" -DincludeScope=runtime -DoutputDirectory=target/lib
  (cd target/lib && sha256sum -- *.jar) | diff libraries.sha256 - >&2 || fail 'other libraries than libraries.sha256 has' 'see above; build.sh says how it is written'
  libraries=(-cp "$(printf "%s:" target/lib/*.jar)")
fi
# Without `classfile`: it warns about annotations in libraries without their classes
((${#compile[@]})) || compile=(javac '-Xlint:all,-classfile' -Werror -proc:none --release 17)
"${compile[@]}" "${libraries[@]}" -sourcepath ".:$shared" -d target/classes Main.java
