#!/usr/bin/env bash
# usage: cluster.sh BUILD_DIR [BYTES]
# provider/examples/cluster.py with 1, 2 and 4 workers of one thread on this machine, from memory to memory, best of
# three, beside one `openssl enc`. Writes BUILD_DIR/bench/cluster.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../../support/openssl-cnf.sh"
# shellcheck source=test/support/venv.sh
. "$here/../../support/venv.sh"
build=$(cd "$1" && pwd)
bytes=${2:-2147483648}
venv "$build" examples-venv 'dask[distributed]' fsspec
work=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$work"' EXIT
openssl_cnf "$build/gpuctr.so" >"$work/cnf"
export OPENSSL_CONF=$work/cnf DASK_TEMPORARY_DIRECTORY=$work PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$here/../../provider/python GPUCTR_MODULE=$build/gpuctr.so
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f iv=${key:0:32}
echo "$key" >"$work/key"
head -c "$bytes" /dev/zero >"$work/plain"

best=0
for _ in 1 2 3; do
  start=$(date +%s%N)
  openssl enc -lea-256-ctr -K "$key" -iv "$iv" -in "$work/plain" -out "$work/sealed"
  best=$(awk -v b="$best" -v r="$(($(date +%s%N) - start))" -v n="$bytes" 'BEGIN {r = n / r; print (r > b ? r : b)}')
done
rm "$work/sealed"
rows="  {\"what\": \"openssl enc\", \"gbps\": $best}"
printf '%-12s %6.2f GB/s\n' 'openssl enc' "$best"
for workers in 1 2 4; do
  best=0
  for _ in 1 2 3; do
    rm -rf "$work/sealed"
    rate=$("${python:?}" "$here/../../../provider/examples/cluster.py" encrypt "$work/plain" "$work/sealed" --iv "$iv" \
      --key-file "$work/key" --workers "$workers" 2>&1 | sed -n 's/.*, \([0-9.]*\) GB\/s$/\1/p' | tail -n 1)
    best=$(awk -v b="$best" -v r="$rate" 'BEGIN {print (r > b ? r : b)}')
  done
  rows+=$',\n'"  {\"what\": \"$workers workers\", \"gbps\": $best}"
  printf '%-12s %6.2f GB/s\n' "$workers workers" "$best"
done
mkdir -p "$build/bench"
printf '{"unit": "GB/s", "cipher": "LEA-256-CTR", "bytes": %s, "range": 67108864, "cores": %s, "rows": [\n%s\n]}\n' \
  "$bytes" "$(nproc)" "$rows" >"$build/bench/cluster.json"
