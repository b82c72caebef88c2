#!/usr/bin/env bash
# Fails if kernels/cpu uses an intrinsic of x86 that intrinsics/ does not compare with its model.
set -euo pipefail
cd "$(dirname "$0")/../../.."
names() { grep -rhoE '\b_mm(256|512)?_[a-z0-9_]+' "$@" | sort -u; }
missing=$(comm -23 <(names kernels/cpu) <(names test/kernels/emulated/intrinsics))
[ -z "$missing" ] || { echo "not compared: $missing" >&2 && exit 1; }
