#!/usr/bin/env bash
# The version of a gem, as Debian's Ruby finds it, on standard output.
# usage: version.sh FOLDER PACKAGE
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "$here/bin/ruby" -e 'puts Gem::Specification.find_by_name(ARGV[0]).version' "${2:?usage: version.sh FOLDER PACKAGE}"
