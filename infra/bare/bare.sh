#!/usr/bin/env bash
# bare: makes a minimal Debian or Ubuntu with its updates in a folder, with debootstrap. Needs root.
# usage: bare.sh SUITE FOLDER PACKAGE,...
#   SUITE   Debian bookworm or trixie; Ubuntu jammy (22.04), noble (24.04) or resolute (26.04)
#   FOLDER  must not exist; debootstrap's output goes to FOLDER.log
# The new system also trusts this machine's additional certificate authorities: a company's proxy may need them for registries. The
# signatures of Ubuntu's archive are checked only if this machine has its keys (package ubuntu-keyring); otherwise there is a warning.
set -euo pipefail
suite=${1-} folder=${2-} packages=ca-certificates${3:+,$3}

# fail <exit code> <what, with the value> <next step>
fail() {
  printf 'error: %s; %s\n' "$2" "$3" >&2
  exit "$1"
}

case $suite in
  bookworm | trixie) mirror=http://deb.debian.org/debian security="http://deb.debian.org/debian-security $suite-security" parts=main ;;
  jammy | noble | resolute) mirror=http://archive.ubuntu.com/ubuntu security="http://security.ubuntu.com/ubuntu $suite-security" parts='main universe' ;;
  *) fail 2 "SUITE is '$suite'" 'say bookworm, trixie, jammy, noble or resolute' ;;
esac
((EUID == 0)) || fail 77 "a system in a folder is built as root, and you are $(id -un)" 'run it with sudo'
command -v debootstrap > /dev/null || fail 69 'there is no debootstrap' 'apt-get install debootstrap'
[[ -n $folder && ! -e $folder ]] || fail 2 "the folder '$folder' is there, or has no name" "name another, or remove it: rm -r --one-file-system $folder"

trust='' options=("--components=${parts// /,}") script=/usr/share/debootstrap/scripts/$suite
if [[ $mirror == *ubuntu* && ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]]; then
  echo "warning: this machine has no keys of Ubuntu's archive, so that its signatures are not checked" >&2
  options+=(--no-check-gpg)
  trust='[trusted=yes] '
fi
[[ -e $script ]] || script=/usr/share/debootstrap/scripts/gutsy # the scripts of all later Ubuntus are links to it
# Without its keys debootstrap would only warn, as a mirror is named
[[ $mirror == *ubuntu* ]] || options+=(--force-check-gpg)
debootstrap --variant=minbase --include="$packages" "${options[@]}" "$suite" "$folder" "$mirror" "$script" > "$folder.log" 2>&1 || {
  tail -n 20 "$folder.log" >&2
  fail 69 "debootstrap of $suite did not succeed" "read $folder.log"
}
# debootstrap writes only the release
printf "deb $trust%s $parts\n" "$mirror $suite" "$mirror $suite-updates" "$security" > "$folder/etc/apt/sources.list"
for file in /usr/local/share/ca-certificates/*.crt; do [[ ! -e $file ]] || cp "$file" "$folder$file"; done
chroot "$folder" update-ca-certificates > /dev/null 2>&1
