#!/usr/bin/env bash
# check.sh [TREE [quick]]: the SIMD engine of TREE/kernels on vectors of tokens (engine.cpp).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tree=$(cd "${1:-$root}" && pwd)
options=()
[ "${2:-}" != quick ] || options=(-DQUICK)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Functions that kernels/base/inline.h forces inline take GCC four times as long.
"${CXX:-c++}" -std=c++17 -O1 -w "${options[@]}" -DGPUCTR_KERNELS_BASE_INLINE_H -DGPUCTR_INLINE=inline -DGPUCTR_HD=inline \
  "-I$here/include" "-I$tree" "-I$root" "$here/engine.cpp" "$here/tokens.cpp" -o "$work/engine"
"$work/engine"
