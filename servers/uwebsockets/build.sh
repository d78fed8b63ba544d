#!/usr/bin/env bash
# Builds the server in this folder from the sources of uWebSockets and uSockets in the crate pinned by Cargo.lock. Uses the flags of their
# own makefiles (-O3 -flto), except -march=native, which no other engine has. On epoll, without TLS, HTTP/3 and compression.
# usage: build.sh CRATE
set -euo pipefail

runtimes=../../runtimes
[[ ${1-} != --lacking ]] || exec "$runtimes/rust/install.sh" --lacking
crate=${1:?usage: build.sh CRATE}
optimised=(-O3 -flto)
"$runtimes/rust/install.sh"
host=$("$runtimes/rust/bin/cargo" -vV | sed -n 's/^host: //p')
"$runtimes/rust/bin/cargo" fetch --quiet --locked --target "$host"
sources=$("$runtimes/rust/bin/cargo" metadata --quiet --locked --offline --format-version 1 --filter-platform "$host" |
  sed -n "s|.*\"manifest_path\":\"\([^\"]*/$crate-[^\"]*\)/Cargo.toml\".*|\1/uWebSockets|p")
mkdir -p target
(cd target && cc "${optimised[@]}" -DLIBUS_NO_SSL -I"$sources/uSockets/src" -c "$sources"/uSockets/src/*.c \
  "$sources/uSockets/src/eventing/epoll_kqueue.c") # cc comes with g++
version=$("$runtimes/cpp/version.sh" . "$crate")
"$runtimes/cpp/bin/c++" "${optimised[@]}" -std=c++20 -Wall -Wextra -DUWS_NO_ZLIB -DLIBUS_NO_SSL "-DPACKAGE_VERSION=\"$version\"" \
  -isystem "$sources/src" -isystem "$sources/uSockets/src" -o target/server.partial server.cpp target/*.o
mv target/server.partial target/server
