#!/usr/bin/env bash
# coverage.sh SOURCES MODULES PROGRAM...: jobs through every program, and each line that Verilator
# counts has run in one of them.
set -euo pipefail
sources=$1 modules=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
i=0
for program in "$@"; do
  i=$((i + 1))
  "$program" --modules "$modules" --to 120 --every 7 --stalls --width 3 --height 3 \
    --coverage "$work/$i.dat" || exit
done
cd "$sources" # whose files the counts name
verilator_coverage --annotate "$work/annotated" --annotate-min 1 --annotate-all "$work"/*.dat \
  >"$work/log"
grep . "$work/log"
count=$(find "$work/annotated" -name '*.sv' | wc -l)
[ "$count" -ge 10 ] || { echo "only $count files are counted" && exit 1; }
# Newer releases mark a line with "~" when only a part of it ran.
if grep -HnE '^(%000000|~)' "$work"/annotated/*.sv; then
  echo "lines of $sources that never ran" && exit 1
fi
echo "every counted line of $count files has run"
