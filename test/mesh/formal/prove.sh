#!/usr/bin/env bash
# prove.sh SOURCES MODULE [TRACE]: all properties of the module, by induction, with yosys-smtbmc and
# z3. Fails with a counter-example, which goes to the file TRACE.
set -euo pipefail
sources=$1 module=$2 trace=${3:-$2.vcd}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Newer releases of yosys keep properties in cells that write_smt2 leaves out until they are lowered.
lower=
yosys -p "help chformal" >"$work/help"
if grep -q -e -lower "$work/help"; then lower="async2sync; chformal -lower"; fi
(cd "$sources" && yosys -q -p "
  read_verilog -sv -formal mesh_pkg.sv fifo.sv credits.sv packet_lock.sv $here/$module.sv
  hierarchy -check -top $module
  proc
  memory_map
  flatten
  opt -nodffe -nosdff
  $lower
  check -assert
  write_smt2 -wires $work/model.smt2") >"$work/out" 2>&1 || { cat "$work/out" && exit 2; }
written=$(grep -c 'assert (' "$here/$module.sv")
modelled=$(grep -c '^; yosys-smt2-assert ' "$work/model.smt2" || true)
[ "$modelled" -ge "$written" ] || { echo "$module: $written properties, $modelled in the model" && exit 2; }
# From reset on for 16 clocks; then from any state that kept the properties for 4 to the next.
for steps in "-t 16" "-i -t 4"; do
  # shellcheck disable=SC2086  # two words
  if ! yosys-smtbmc -s z3 --unroll --noprogress $steps --dump-vcd "$trace" "$work/model.smt2" \
    >"$work/smt" 2>&1; then
    grep -E "Assert failed|Status|rror" "$work/smt" | sort -u
    echo "$module: not proved; see $trace"
    exit 1
  fi
done
echo "$module: $written properties are proved"
