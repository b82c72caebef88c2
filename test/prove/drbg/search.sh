#!/usr/bin/env bash
# search.sh [TREE]: CTR_DRBG of TREE/drbg in every state that calls can reach, against SP 800-90A.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tree=$(cd "${1:-$root}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/kernels/cipher"
cp "$here/folders.h" "$work/kernels/cipher/"
sources=()
for name in bulk ctr_drbg derivation mechanism; do sources+=("$tree/drbg/$name.cpp"); done
"${CXX:-c++}" -std=c++17 -O1 "-I$work" "-I$tree" "-I$root" "$here/states.cpp" "${sources[@]}" -pthread -o "$work/states"
"$work/states"
