#!/usr/bin/env bash
# base: a bare Debian as an image of podman, without any registry, for the Containerfile and for containers that are hosts. It takes root.
# usage: base.sh NAME [RELEASE [PACKAGE,...]]
#   infra/container/base.sh localhost/debian:trixie trixie
#   podman build --build-arg BASE=localhost/debian:trixie --tag wscale .
set -euo pipefail
name=${1:?usage: base.sh NAME [RELEASE [PACKAGE,...]]}
release=${2-trixie} packages=${3-}
command -v podman > /dev/null || { echo 'error: there is no podman; apt-get install podman' >&2; exit 69; }
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT

"$(dirname "${BASH_SOURCE[0]}")/../bare/bare.sh" "$release" "$folder/root" "$packages"
# As images of Debian have it: what is installed in an image needs to outlive no power cut
echo force-unsafe-io > "$folder/root/etc/dpkg/dpkg.cfg.d/unsafe-io"
rm -rf "$folder"/root/var/cache/apt/archives/*.deb "$folder"/root/var/lib/apt/lists/*
tar -C "$folder/root" -c . | podman import - "$name" > /dev/null
