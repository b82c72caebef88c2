#!/usr/bin/env bash
# Compiles the kernels for AArch64 and runs the NEON backend in qemu's user mode. Exits with 77 (a
# skip) where the cross compiler or qemu is missing. Arguments: source root, folder of generated
# headers, build folder, -Werror or nothing.
set -euo pipefail
root=$1
generated=$2
build=$3
options=(-std=c++17 -O2 -Wall -Wextra -Wshadow -Wconversion ${4:+"$4"})
compiler=aarch64-linux-gnu-g++
for tool in $compiler qemu-aarch64; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
$compiler "${options[@]}" -DGPUCTR_NEON -I"$root" -I"$generated" -static -o "$build/cross_check" "$root"/test/kernels/cross_check.cpp \
  "$generated"/kernels/cpu/{neon,scalar}_*.cpp "$generated"/kernels/cpu/many/neon_*.cpp \
  "$generated"/kernels/cipher/*_specs.cpp "$root"/kernels/{cpu/backends,cpu/ghash,cipher/registry}.cpp
exec qemu-aarch64 "$build/cross_check"
