#!/usr/bin/env bash
# unknowns.sh NETLIST KEY_WORDS BLOCK_WORDS: unknowns.v around the node that yosys made, in Icarus
# Verilog.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
iverilog -g2012 -Wall -s unknowns -Punknowns.KEY_WORDS="$2" -Punknowns.BLOCK_WORDS="$3" \
  -o "$program" "$here/unknowns.v" "$1"
said=$(vvp -n "$program")
echo "$said"
grep -q "^no unknown signal" <<<"$said"
