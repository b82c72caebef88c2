#!/usr/bin/env bash
# usage: demo.sh MODULE_FOLDER
# What ./run demo shows after the round trip: test/demo/rates.sh on one cipher of this build, and test/demo/chart.py on
# rates that are known.
set -euo pipefail
module_dir=$(cd "$1" && pwd)
cd "$(dirname "$0")/../demo"
# shellcheck source=test/support/algorithms.sh
. ../support/algorithms.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "package.demo: $*" >&2
  cat "$work/out" >&2
  exit 1
}

# 1. Known rates: the lengths of the bars, the sentence, and a rate of nothing, which is no measurement.
printf '%s\t%s\t%s\t%s\n' gpuctr ARIA-128 8e9 avx2 gpuctr LEA-128 2e9 cuda OpenSSL AES-128 4e9 OpenSSL \
  OpenSSL ARIA-128 0.16e9 OpenSSL >"$work/rates"
python3 chart.py "$work/known.svg" <"$work/rates" >"$work/out"
python3 - "$work/known.svg" "$work/out" <<'PY' || fail "the chart is wrong"
import sys
import xml.etree.ElementTree as xml
bars = [float(r.get("width")) for r in xml.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect") if r.get("class")]
assert bars == [480, 120, 240, 9.6], bars
lines = open(sys.argv[2], encoding="utf-8").read().split("\n")
assert [line.count("\u2588") for line in lines[:4]] == [40, 10, 20, 1], lines
assert "cuda" in lines[1] and " 2.0 GB/s" in lines[1], lines[1]
assert lines[5] == "On this machine ARIA-128 ran at 50 times the rate of OpenSSL's own.", lines[5]
PY
sed -i 's/2e9/0/' "$work/rates"
if python3 chart.py "$work/zero.svg" <"$work/rates" >"$work/out" 2>&1; then fail "a rate of 0 is drawn"; fi

# 2. A cipher of this build.
cipher=$(our_ciphers "$module_dir" | head -n 1)
bash rates.sh "$module_dir" "$work/rates.svg" "$cipher" >"$work/out"
grep -qE "^$cipher .* [0-9.]+ GB/s  [a-z0-9-]+\$" "$work/out" || fail "no rate of $cipher"
[ "$(grep -c ' GB/s  OpenSSL$' "$work/out")" = 2 ] || fail "OpenSSL's two rates are missing"
grep -q '^On this machine ' "$work/out" || fail "no sentence at the end"
if bash rates.sh "$module_dir" "$work/rates.svg" NONE >"$work/out" 2>&1; then fail "a cipher that nobody has is measured"; fi
echo "rates of $cipher, bars and picture"
