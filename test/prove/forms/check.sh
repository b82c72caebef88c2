#!/usr/bin/env bash
# check.sh [TREE [STEP]]: forms.cpp, of the definitions in TREE/kernels.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tree=$(cd "${1:-$root}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CXX:-c++}" -std=c++17 -O2 -ftree-vectorize -Wno-psabi "-I$tree" "$here/forms.cpp" -o "$work/forms"
"$work/forms" "${2:-1}"
