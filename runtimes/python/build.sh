#!/usr/bin/env bash
# Installs what a server in Python needs: a virtual environment, venv/, with its packages and the sources that it shares with others.
# usage: build.sh SHARED      (in the server's folder; SHARED is the folder of those sources, such as ../python)
# requirements.txt is its lock: exact versions, each with the digests of its wheels. Nothing is compiled, and nothing else is taken. A
# digest is what `pip hash FILE` says of a wheel that `pip download --no-deps PACKAGE==VERSION` brought.
set -euo pipefail

shared=$(cd "${1:?usage: build.sh SHARED}" && pwd)

python3 -m venv --clear venv
venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r requirements.txt
# A folder named in a .pth file is one that modules are imported from (the documentation of Python's module `site`)
printf '%s\n' "$shared" > "$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/wscale.pth"
