#!/usr/bin/env bash
# Provides a JDK and Maven for the Java servers: bin/java, bin/javac and bin/mvn link to them.
# usage: install.sh [--lacking]
# Uses programs in PATH if they are new enough; otherwise installs Debian's packages. Each server's pom.xml pins its libraries, not the JDK;
# each report names the JDK.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
least=17 # required by Jetty 12; --release in runtimes/java/build.sh
packages=openjdk-17-jdk-headless,openjdk-21-jdk-headless,openjdk-25-jdk-headless # the first that a release has

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/java: %s; %s\n' "$1" "$2" >&2
  exit 69
}

# is_new_enough <java or javac>: versions before 9 do not know --version
is_new_enough() {
  local version
  command -v "$1" > /dev/null && version=$("$1" --version 2> /dev/null) || return 1
  [[ $version =~ ^[a-z]+\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= least))
}

has_jdk() {
  is_new_enough java && is_new_enough javac
}

PATH=${PATH//$here\/bin:/} # do not find our own links
[[ ${1-} != --lacking ]] || { has_jdk || echo "$packages"; echo maven:mvn; exit 0; }
if ! has_jdk; then
  "$here/../apt-install.sh" "$packages"
  hash -r
  has_jdk || fail "java or javac in PATH is older than $least ($(javac -version 2>&1))" "put a JDK of $least or later first in PATH"
fi
"$here/../apt-install.sh" maven:mvn
hash -r
mkdir -p "$here/bin"
for program in java javac mvn; do
  found=$(command -v "$program")
  [[ $(readlink "$here/bin/$program" 2> /dev/null) == "$found" ]] || ln -sfn "$found" "$here/bin/$program"
done
