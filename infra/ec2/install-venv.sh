#!/usr/bin/env bash
# Makes a Python virtual environment, FOLDER/venv, with exactly the packages of FOLDER/requirements.txt.
# usage: install-venv.sh FOLDER [OPTION-OF-PIP]...
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:?usage: install-venv.sh FOLDER}"
shift
"$here/../../runtimes/python/bin/python3" -m venv --clear venv
venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps "$@" -r requirements.txt || {
  printf "error: %s: 'pip install' did not succeed; read its report above, then give the same command again\n" "$PWD" >&2
  exit 69
}
