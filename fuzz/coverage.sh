#!/usr/bin/env bash
# usage: fuzz/coverage.sh
# How many lines of provider/, drbg/ and kernels/ the inputs found so far reach: builds the targets
# with clang's coverage into build-coverage, replays the corpora of fuzz/corpus and build-fuzz/corpus,
# and prints a table and the files below 90 %.
set -euo pipefail
cd "$(dirname "$0")/.."

tool() { # llvm's tools carry a version in Debian
  local found
  found=$(compgen -c "$1" | grep -xE "$1(-[0-9]+)?" | sort -V | tail -n 1)
  [ -n "$found" ] || { echo "coverage: no $1 here (package llvm)" >&2 && exit 1; }
  echo "$found"
}
profdata=$(tool llvm-profdata)
cov=$(tool llvm-cov)

build="build-coverage"
mkdir -p $build
{
  cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    ${CMAKE_CXX_COMPILER_LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER} \
    "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -fprofile-instr-generate -fcoverage-mapping" \
    -DGPUCTR_SANITIZE=fuzzer-no-link -DGPUCTR_FUZZ=ON -DGPUCTR_TESTS=OFF -DGPUCTR_BENCH=OFF \
    -DGPUCTR_CUDA=OFF &&
    cmake --build $build --target fuzz
} >$build/log 2>&1 || { tail -n 40 $build/log >&2 && exit 1; }

objects=()
rm -f $build/*.profraw
for program in "$build"/fuzz/fuzz_*; do
  if [ ! -x "$program" ] || [ -d "$program" ]; then continue; fi
  name=${program##*/fuzz_}
  inputs=()
  for folder in "$build/fuzz/corpus/$name" "build-fuzz/corpus/$name"; do
    if [ -d "$folder" ]; then inputs+=("$folder"); fi
  done
  LLVM_PROFILE_FILE=$build/$name.profraw "$program" -runs=0 -rss_limit_mb=3000 "${inputs[@]}" \
    >"$build/$name.log" 2>&1 || { tail -n 20 "$build/$name.log" >&2 && exit 1; }
  objects+=(-object "$program")
done
"$profdata" merge -o $build/all.profdata $build/*.profraw
"$cov" export -summary-only -instr-profile $build/all.profdata "${objects[@]}" >$build/summary.json 2>/dev/null
python3 - $build/summary.json "$PWD" <<'PY'
import json
import sys

files = json.load(open(sys.argv[1]))["data"][0]["files"]
total = {}
low = []
for file in files:
    path = file["filename"].removeprefix(sys.argv[2] + "/")
    part = path.split("/")[0]
    lines = file["summary"]["lines"]
    if part not in ("provider", "drbg", "kernels") or lines["count"] == 0:
        continue
    count, covered = total.get(part, (0, 0))
    total[part] = (count + lines["count"], covered + lines["covered"])
    if lines["covered"] < 0.9 * lines["count"]:
        low.append((path, lines["covered"], lines["count"]))
print(f"{'part':12} {'lines':>7} {'reached':>7} {'percent':>8}")
for part, (count, covered) in sorted(total.items()):
    print(f"{part:12} {count:7} {covered:7} {100 * covered / count:8.1f}")
for path, covered, count in sorted(low):
    print(f"  below 90 %: {path} {covered}/{count}")
PY
