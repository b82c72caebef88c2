#!/usr/bin/env bash
# Builds the kernels with the ciphers named and runs the tests that take their list from the registry.
# Arguments: source root, build folder, C++ compiler, GPUCTR_CIPHERS.
set -euo pipefail
root=$1
build=$2
tests=(kernels/{machines,oracle,step,wipe} gpu/tables bulk/blocks)
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$3" \
  -DGPUCTR_CIPHERS="$4" -DGPUCTR_CUDA=OFF -DGPUCTR_AVR=OFF -DGPUCTR_BENCH=OFF >"$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }
targets=("${tests[@]//\//_}")
cmake --build "$build" --target "${targets[@]/%/_test}" >"$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }
for test in "${tests[@]}"; do
  program=$build/test/${test%/*}/${test//\//_}_test
  count=$("$program" --gtest_list_tests | grep -c '^ ')
  [ "$count" -gt 0 ] || { echo "no tests in $program"; exit 1; }
  "$program" --gtest_brief=1
done
