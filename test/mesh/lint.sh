#!/usr/bin/env bash
# lint.sh SOURCES: every element in meshes of several shapes, with all of Verilator's warnings.
set -euo pipefail
cd "$1"
for element in 0 1 2 3; do
  for shape in "1 1 1 4" "2 2 1 2" "3 4 2 5"; do
    read -r width height hosts depth <<<"$shape"
    verilator --lint-only -Wall --top-module mesh -GELEMENT=$element -GWIDTH="$width" \
      -GHEIGHT="$height" -GHOSTS="$hosts" -GDEPTH="$depth" mesh_pkg.sv des_pkg.sv -y . mesh.sv
  done
done
