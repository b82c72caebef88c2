#!/usr/bin/env bash
# verilate.sh OUT SOURCES TOP [OPTION]...: the design in the folder SOURCES as C++ in the folder
# OUT, with one file, all.cpp, that includes all the others: a build system can name it beforehand.
set -euo pipefail
out=$1 sources=$2 top=$3
shift 3
rm -rf "$out"
mkdir -p "$out"
cd "$sources"
verilator --cc --prefix Vdut --top-module "$top" --Mdir "$out" -Wall -Wno-UNUSEDPARAM -O3 \
  --threads 1 --x-assign unique --x-initial unique --output-split 0 --no-decoration "$@" \
  mesh_pkg.sv des_pkg.sv -y . "$top.sv" >"$out/log" 2>&1 ||
  { cat "$out/log" >&2 && exit 1; }
cd "$out"
for file in *.cpp; do echo "#include \"$file\""; done >all.new
mv all.new all.cpp
