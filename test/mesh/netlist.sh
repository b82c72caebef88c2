#!/usr/bin/env bash
# netlist.sh OUT SOURCES ELEMENT: what yosys makes of a node with that element, as Verilog, in a
# folder that verilate.sh takes.
set -euo pipefail
out=$1 sources=$2 element=$3
rm -rf "$out"
mkdir -p "$out"
cp "$sources"/*_pkg.sv "$out"
cd "$sources"
files=$(find . -name '*.sv' ! -name '*_pkg.sv' ! -name mesh.sv -printf '%p ')
yosys -q -p "
  read_verilog -sv mesh_pkg.sv des_pkg.sv $files
  chparam -set ELEMENT $element node
  hierarchy -check -top node
  prep -flatten
  check -assert
  rename -top node
  write_verilog -noattr $out/node.sv" >"$out/log" 2>&1 || { cat "$out/log" >&2 && exit 1; }
if grep -i warning "$out/log" >&2; then exit 1; fi
