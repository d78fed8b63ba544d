#!/usr/bin/env bash
# base: makes a podman image of a minimal Debian without any registry, for the Containerfile and for containers as hosts. Needs root.
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
# As in Debian's images: dpkg need not sync to disk, because an image need not survive a power failure
echo force-unsafe-io > "$folder/root/etc/dpkg/dpkg.cfg.d/unsafe-io"
rm -rf "$folder"/root/var/cache/apt/archives/*.deb "$folder"/root/var/lib/apt/lists/*
tar -C "$folder/root" -c . | podman import - "$name" > /dev/null
