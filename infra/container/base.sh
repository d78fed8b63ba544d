#!/usr/bin/env bash
# base: a bare Debian as an image of podman, without any registry, for the Containerfile and for containers that are hosts. It takes root.
# usage: base.sh NAME [RELEASE [PACKAGE,...]]
#   infra/container/base.sh localhost/debian:trixie trixie
#   podman build --build-arg BASE=localhost/debian:trixie --tag wscale .
set -euo pipefail
name=${1:?usage: base.sh NAME [RELEASE [PACKAGE,...]]}
release=${2-trixie} packages=ca-certificates${3:+,$3}
for each in debootstrap podman; do
  command -v "$each" > /dev/null || { echo "error: base.sh: $each is not there; install it: sudo apt-get install $each" >&2; exit 69; }
done
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT

debootstrap --variant=minbase --include="$packages" "$release" "$folder/root" > "$folder/log" 2>&1 || {
  tail -n 20 "$folder/log" >&2
  echo "error: base.sh: debootstrap did not succeed; read its report above" >&2
  exit 69
}
# debootstrap knows the release alone
cat > "$folder/root/etc/apt/sources.list" << END
deb http://deb.debian.org/debian $release main
deb http://deb.debian.org/debian $release-updates main
deb http://deb.debian.org/debian-security $release-security main
END
# Authorities that this machine trusts beside Debian's: behind a company's proxy registries show those
for each in /usr/local/share/ca-certificates/*.crt; do
  [ ! -e "$each" ] || cp "$each" "$folder/root/usr/local/share/ca-certificates/"
done
chroot "$folder/root" update-ca-certificates > /dev/null 2>&1
# As images of Debian have it: what is installed in an image needs to outlive no power cut
echo force-unsafe-io > "$folder/root/etc/dpkg/dpkg.cfg.d/unsafe-io"
rm -rf "$folder"/root/var/cache/apt/archives/*.deb "$folder"/root/var/lib/apt/lists/*
tar -C "$folder/root" -c . | podman import - "$name" > /dev/null
