# shellcheck shell=bash
# Sourced by runtimes/NAME/install.sh: installs a runtime that npm distributes.
#
# usage: define `make_executables FOLDER`, which fills FOLDER from ./node_modules, then call
#          install_runtime <folder of the runtime> <npm> <program>
#        where bin/<program> is the one of make_executables that must run, and tell its --version
#
# It does nothing when the stamp says that this lock file was installed by these scripts. The stamp is written last, by
# rename: an interrupted installation has none, and is done again.

# fail <where> <what, with the value> <next step>
fail() {
  printf 'error: %s: %s; %s\n' "$1" "$2" "$3" >&2
  exit 69
}

# Everything the result depends on: the locked packages and the scripts that unpack them.
hash_inputs() {
  local sum
  sum=$(cat package.json package-lock.json install.sh "${BASH_SOURCE[0]}" | sha256sum)
  printf '%s' "${sum%% *}"
}

# is_installed <hash of the inputs> <program>
is_installed() {
  local stamp=''
  [[ -r .installed ]] && read -r stamp < .installed
  [[ $stamp == "$1" && -x bin/$2 ]]
}

# install_packages <runtime's name> <npm>: npm's own report goes to standard error, and only when it failed.
install_packages() {
  local report
  command -v "$2" > /dev/null || fail "runtimes/$1" "no program '$2'" "install npm 7 or later (Debian: apt-get install npm)"
  report=$("$2" ci --ignore-scripts --no-audit --no-fund --loglevel=error 2>&1) || {
    printf '%s\n' "$report" >&2
    fail "runtimes/$1" "'$2 ci' did not succeed" "read its report above, then run install.sh again"
  }
}

# install_runtime <folder> <npm> <program>
install_runtime() {
  local name=${1##*/} wanted
  cd "$1" || fail "runtimes/$name" "cannot enter the folder '$1'" "check its permissions"
  wanted=$(hash_inputs)
  is_installed "$wanted" "$3" && return
  exec 9> .lock
  flock 9 # two installations at a time would delete each other's files
  is_installed "$wanted" "$3" && return
  rm -rf .installed bin
  install_packages "$name" "$2"
  mkdir bin
  make_executables bin
  "bin/$3" --version > /dev/null || fail "runtimes/$name" "bin/$3 does not run here ($(uname -sm))" "it needs Linux on x86-64"
  printf '%s\n' "$wanted" > .installed.new
  mv .installed.new .installed
}
