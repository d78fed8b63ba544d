#!/usr/bin/env bash
# Makes the virtual environment of a Python server, venv/, with its packages and the shared sources.
# usage: build.sh SHARED      (in the server's folder; SHARED is the folder of the shared sources, such as ../python)
# requirements.txt is its lock: exact versions, each with the digests of its wheels. Nothing else is installed, and nothing is compiled. To
# get a digest, download a wheel with `pip download --no-deps PACKAGE==VERSION` and run `pip hash FILE`.
set -euo pipefail

shared=$(cd "${1:?usage: build.sh SHARED}" && pwd)

python3 -m venv --clear venv
venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r requirements.txt
# Python imports modules from folders named in a .pth file (documentation of the module `site`)
printf '%s\n' "$shared" > "$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/wscale.pth"
