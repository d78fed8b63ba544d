#!/usr/bin/env bash
# Prints the version of a gem, as found by Debian's Ruby.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "$here/bin/ruby" -e 'puts Gem::Specification.find_by_name(ARGV[0]).version' "${2:?usage: version.sh FOLDER PACKAGE}"
