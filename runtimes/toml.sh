#!/usr/bin/env bash
# What manifests give a key, for what runs before there is a Node to read TOML: the installation of Debian packages, and of Node.
# usage: toml.sh KEY FILE...
#
# The key stands above the first [table], with its value on its line. Output, a line a file that has it: the words of the value.
set -euo pipefail
awk -v key="$1" '
  FNR == 1 { is_top = 1 }
  /^\[/ { is_top = 0 }
  is_top && index($0, key " = ") == 1 {
    sub(/ +#.*/, "")
    words = ""
    for (rest = substr($0, length(key) + 4); match(rest, /"[^"]*"/); rest = substr(rest, RSTART + RLENGTH)) {
      words = words (words == "" ? "" : " ") substr(rest, RSTART + 1, RLENGTH - 2)
    }
    print words
  }' "${@:2}"
