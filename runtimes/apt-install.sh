#!/usr/bin/env bash
# Installs missing Debian packages. Returns at once if none is missing.
# usage: apt-install.sh [--lacking | --if-there] PACKAGE[@LEAST][,OTHER]...[:COMMAND]...
#
# PACKAGE:COMMAND counts as installed if COMMAND is in PATH, from any source (npm often comes from elsewhere). PACKAGE counts as
# installed if dpkg says so, PACKAGE@LEAST if its version is at least LEAST; an older version is upgraded. PACKAGE,OTHER needs either
# one; if both are missing, the first that this release has is installed.
# --lacking prints the missing packages, by their names for apt-get, one per line, and installs nothing.
# --if-there reports packages that this release does not have, and installs the others; without it, such a package ends the program with 72.
# example: apt-install.sh npm:npm sysstat:sar fonts-dejavu-core rustc-web@1.88 openjdk-17-jdk-headless,openjdk-21-jdk-headless
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # not in the PATH of every user
for folder in /usr/lib/rust-*/bin; do PATH=$PATH:$folder; done # Ubuntu's later Rusts: their programs have no links in PATH

absent_code=72 # the same in harness/run/install.js

# fail <what, with the value> <next step> [exit code]
fail() {
  printf 'error: apt-install: %s; %s\n' "$1" "$2" >&2
  exit "${3:-69}"
}

# is_installed <package>[@<least>]
is_installed() {
  local state version
  read -r state version < <(dpkg-query -W -f '${db:Status-Abbrev} ${Version}\n' "${1%@*}" 2> /dev/null) && [[ $state == ?i* ]] || return 1
  [[ $1 != *@* ]] || dpkg --compare-versions "$version" ge "${1#*@}"
}

# is_any_installed PACKAGE[@LEAST],...
is_any_installed() {
  local names name
  IFS=, read -ra names <<< "$1"
  for name in "${names[@]}"; do ! is_installed "$name" || return 0; done
  return 1
}

# list_lacking PACKAGE[:COMMAND]...
list_lacking() {
  local wanted
  for wanted in "$@"; do
    case $wanted in
      *:*) command -v "${wanted#*:}" > /dev/null || printf '%s\n' "${wanted%%:*}" ;;
      *) is_any_installed "$wanted" || printf '%s\n' "$wanted" ;;
    esac
  done
}

# choose PACKAGE[@LEAST],...: prints for each word the first package that this release has, by its name for apt-get
choose() {
  local word names name
  for word in "$@"; do
    IFS=, read -ra names <<< "$word"
    for name in "${names[@]}"; do
      ((${#names[@]} == 1)) || [[ -n $(apt-cache show "${name%@*}" 2> /dev/null) ]] || continue
      names=("$name")
      break
    done
    printf '%s\n' "${names[0]%@*}"
  done
}

# explain PACKAGE[@LEAST],...: fails, and says why it is still missing after the installation
explain() {
  local name=${1%%,*} version
  version=$(dpkg-query -W -f '${Version}' "${name%@*}" 2> /dev/null || true)
  if [[ $name == *@* && -n $version ]]; then
    fail "${name%@*} is to be ${name#*@} or later, and these archives have $version" \
      "add the archive of security updates to apt's sources (deb http://deb.debian.org/debian-security CODENAME-security main), then run: ${as_root[*]:+sudo }apt-get update && ${as_root[*]:+sudo }apt-get install ${chosen[*]}" "$absent_code"
  fi
  fail "installed, but still not in PATH: $*" "check PATH: $PATH"
}

# describe PACKAGE[@LEAST],...: prints it for people, such as "rustc-web 1.88 or later" and "a or b"
describe() {
  local names name words=''
  IFS=, read -ra names <<< "$1"
  for name in "${names[@]}"; do
    [[ $name != *@* ]] || name="${name/@/ } or later"
    words+="${words:+ or }$name"
  done
  printf '%s' "$words"
}

# list_reasons PACKAGE[@LEAST],...: prints the purpose of each
list_reasons() {
  local name reason
  for name in "$@"; do
    reason='what was asked for is built with it, or runs it'
    case ${name%%[@,]*} in
      procps | sysstat) reason='samples CPU, memory and network while a trial runs' ;;
      util-linux) reason='pins processes to cores, and ends them with their parent' ;;
      mawk | gawk) reason='reduces captures to tables' ;;
      gnuplot-nox | fonts-dejavu-core) reason='draws figures' ;;
      xz-utils) reason='unpacks results of record' ;;
      iproute2 | ethtool) reason='joins network namespaces' ;;
      openssl) reason='makes certificates for TLS' ;;
      tcpdump | tshark) reason='captures and reads packets' ;;
      chromium | firefox-esr) reason='opens pages' ;;
      podman | runc | netavark | aardvark-dns | iptables | debootstrap | debian-archive-keyring) reason='runs containers, for tests' ;;
      npm) reason='installs the pinned Node' ;;
      cargo-web | rustc-web) reason='builds what is in Rust: engines, the native generator, the link' ;;
      golang-go) reason='builds what is in Go' ;;
      gcc | libc6-dev) reason='builds the yardstick, which measures what this machine charges' ;;
      g++) reason='builds engines in C++' ;;
      openjdk-* | maven) reason='builds and runs what is in Java' ;;
      crystal | libssl-dev | zlib1g-dev) reason='builds engines in Crystal' ;;
      erlang-*) reason='builds and runs engines in Erlang' ;;
      python3 | python3-venv) reason='runs engines in Python, and Ansible' ;;
      ruby) reason='runs engines in Ruby' ;;
      pkg-config) reason='knows the flags of libraries in C and C++' ;;
      *-dev | ruby-*) reason='is an engine, or what one is built with' ;;
      python3-scipy) reason='recomputes intervals and fits by other means' ;;
      shellcheck | rust-web-clippy | rustfmt-web) reason='lints' ;;
      openssh-client) reason='reaches other hosts' ;;
      iperf3) reason='measures the network between hosts' ;;
    esac
    printf '  %-20s %s\n' "$(describe "$name")" "$reason"
  done
}

# Shows apt-get's own report only after a failure. sudo resets the environment, so DEBIAN_FRONTEND goes through env.
# run_apt <argument>...
run_apt() {
  local report
  report=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" < /dev/null 2>&1) || {
    printf '%s\n' "$report" >&2
    fail "'apt-get $1' did not succeed" "read its report above, then run: ${as_root[*]:+sudo }$by_hand"
  }
}

# list_absent PACKAGE...: prints those that this release does not have
list_absent() {
  local name
  for name in "$@"; do [[ -n $(apt-cache show "$name" 2> /dev/null) ]] || printf '%s\n' "$name"; done
}

if_there=
[[ ${1-} != --if-there ]] || { if_there=1; shift; }
if [[ ${1-} == --lacking ]]; then
  mapfile -t lacking < <(list_lacking "${@:2}" | sort -u)
  choose "${lacking[@]}"
  exit 0
fi
mapfile -t lacking < <(list_lacking "$@" | sort -u)
((${#lacking[@]})) || exit 0
exec 9< "${BASH_SOURCE[0]}"
flock 9 # 'apt-get update' does not wait for another
mapfile -t lacking < <(list_lacking "$@" | sort -u)
((${#lacking[@]})) || exit 0

mapfile -t chosen < <(choose "${lacking[@]}")
by_hand="apt-get install --no-install-recommends ${chosen[*]}"
as_root=()
command -v apt-get > /dev/null || fail "lacking: ${chosen[*]}, and there is no apt-get here" "install them by the means of this system"
if ((EUID != 0)); then
  command -v sudo > /dev/null || {
    list_reasons "${lacking[@]}" >&2
    fail "lacking: ${chosen[*]}, and you are neither root nor have sudo" "run as root: $by_hand"
  }
  as_root=(sudo)
fi

{
  printf 'lacking here, and installed now with apt-get, once, a minute or two:\n'
  list_reasons "${lacking[@]}"
} >&2
run_apt update
mapfile -t chosen < <(choose "${lacking[@]}") # again, with the updated lists
mapfile -t absent < <(list_absent "${chosen[@]}")
if ((${#absent[@]})); then
  [[ -n $if_there ]] || fail "this release has no package ${absent[*]}" "install it by other means, or leave out what needs it" "$absent_code"
  printf 'not in this release, so what needs it is left out:\n' >&2
  list_reasons "${absent[@]}" >&2
  mapfile -t chosen < <(printf '%s\n' "${chosen[@]}" | grep -vxF "$(printf '%s\n' "${absent[@]}")")
  ((${#chosen[@]})) || exit 0
fi
by_hand="apt-get install --no-install-recommends ${chosen[*]}"
run_apt install --no-install-recommends -y "${chosen[@]}"

mapfile -t lacking < <(list_lacking "$@" | sort -u)
((${#lacking[@]} == 0)) || [[ -n $if_there ]] || explain "${lacking[@]}"
