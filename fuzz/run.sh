#!/usr/bin/env bash
# usage: fuzz/run.sh [SECONDS] [TARGET...]
# Builds the fuzz targets with clang, ASan and UBSan and runs each for SECONDS (60) on what earlier
# runs and fuzz/corpus/TARGET.tar.xz hold, with fuzz/TARGET.dict where there is one. Prints one table and
# exits 1 on a finding, whose input stays in build-fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
[ "$seconds" -gt 0 ] || { echo "run.sh: SECONDS from 1 on" >&2 && exit 2; }

cmake --preset fuzz ${CMAKE_CXX_COMPILER_LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER} \
  >build-fuzz.log 2>&1 || { cat build-fuzz.log >&2 && exit 1; }
mv build-fuzz.log build-fuzz/configure.log
cmake --build build-fuzz --target fuzz >build-fuzz/build.log 2>&1 ||
  { cat build-fuzz/build.log >&2 && exit 1; }

mkdir -p build-fuzz/findings build-fuzz/logs
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for program in build-fuzz/fuzz/fuzz_*; do
    if [ -x "$program" ] && [ -f "$program" ]; then targets+=("${program##*/fuzz_}"); fi
  done
fi

# In turns of ten minutes at most: what the engine shares within a process stays for ever, and each
# input that makes a fake device adds to it.
one() {
  local seconds=$1 name=$2 found=build-fuzz/corpus/$2 turn rc=0
  mkdir -p "$found"
  local options=(-timeout=60 -rss_limit_mb=3000 -max_len=4096 -len_control=0
    -print_final_stats=1 -artifact_prefix="build-fuzz/findings/$name-")
  # libFuzzer would look into that, input by input. The CTest suite runs under LeakSanitizer.
  case $name in bulk_faults | dispatch_ops) options+=(-detect_leaks=0) ;; esac
  if [ -f "fuzz/$name.dict" ]; then options+=(-dict="fuzz/$name.dict"); fi
  : >"build-fuzz/logs/$name"
  while [ "$seconds" -gt 0 ] && [ "$rc" = 0 ]; do
    turn=$((seconds < 600 ? seconds : 600))
    seconds=$((seconds - turn))
    # The committed corpus comes second: libFuzzer writes new inputs to the first.
    "build-fuzz/fuzz/fuzz_$name" -max_total_time="$turn" "${options[@]}" "$found" \
      "build-fuzz/fuzz/corpus/$name" >>"build-fuzz/logs/$name" 2>&1 || rc=$?
  done
  echo "$rc" >"build-fuzz/logs/$name.rc"
}
export -f one
rm -f build-fuzz/logs/*.rc
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'one "$@"' one "$seconds" {}

numbers() { # those after a word in a target's log
  grep -o "$2 *[0-9]*" "build-fuzz/logs/$1" | grep -o '[0-9]*$' || echo 0
}
findings=0
printf '%-12s %12s %9s %9s %9s %9s\n' target executions per_sec edges corpus findings
for name in "${targets[@]}"; do
  found=0
  if [ "$(cat "build-fuzz/logs/$name.rc")" != 0 ]; then found=1; fi
  findings=$((findings + found))
  executions=0
  for n in $(numbers "$name" stat::number_of_executed_units:); do executions=$((executions + n)); done
  printf '%-12s %12s %9s %9s %9s %9s\n' "$name" "$executions" "$((executions / seconds))" \
    "$(numbers "$name" cov: | tail -n 1)" \
    "$(find "build-fuzz/corpus/$name" -type f | wc -l)" "$found"
done
for name in "${targets[@]}"; do
  if [ "$(cat "build-fuzz/logs/$name.rc")" != 0 ]; then
    echo "--- $name: the end of build-fuzz/logs/$name" >&2
    tail -n 40 "build-fuzz/logs/$name" >&2
  fi
done
[ "$findings" -eq 0 ]
