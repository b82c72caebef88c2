#!/usr/bin/env bash
# Statistical tests of every generator, as `openssl rand` gives its bytes, and of counter-mode
# keystream of IDEA and Blowfish, as `openssl enc` gives it: dieharder, NIST SP 800-22 and TestU01.
# Prints a table and writes build/bench/statistics.json. A generator that was broken on purpose comes
# last and has to fail. Twenty minutes of one core for each generator; not part of CI.
#
# usage: statistics.sh [NAME...]     CTR_DRBGs: HIGHT, LEA-128, ...; LEA-128-STREAM, ...; keystream: IDEA-CTR, ...;
# without a name all CTR_DRBGs, IDEA-CTR and BF-CTR
# GPUCTR_STATISTICS_MIB: MiB of each generator that SP 800-22 sees (1024; 0: no SP 800-22). Each test of TestU01's
# Alphabit and Rabbit takes an eighth of that, fresh bytes every time.
# GPUCTR_STATISTICS_JOBS: test programs at once (one for each core).
# GPUCTR_STATISTICS_BATTERIES: of TestU01 (Rabbit Alphabit SmallCrush); may be empty. Crush takes 40 minutes of a core
# a generator, in eight parts.
# GPUCTR_STATISTICS_DIEHARDER: numbers of dieharder's tests; may be empty. Left out of its own `-a`, which takes
# an hour a generator, are the tests that its authors call suspect (5, 6, 7) or not to be used (14),
# and those that repeat others with many parameters (200 to 203).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
# shellcheck source=test/support/run-lib.sh
. test/support/run-lib.sh
# shellcheck source=test/support/openssl-cnf.sh
. test/support/openssl-cnf.sh
# shellcheck source=test/support/algorithms.sh
. test/support/algorithms.sh
need python3-venv python3-dev gcc g++ openssl

module=$PWD/build/gpuctr.so
out=build/bench
mib=${GPUCTR_STATISTICS_MIB:-1024}
jobs=${GPUCTR_STATISTICS_JOBS:-$(nproc)}
read -ra batteries <<<"${GPUCTR_STATISTICS_BATTERIES-Rabbit Alphabit SmallCrush}"
read -ra tests <<<"${GPUCTR_STATISTICS_DIEHARDER-17 2 102 13 101 1 0 3 4 8 9 10 11 12 15 16 100 204 205 206 207 208 209}"
if [[ " ${batteries[*]} " == *" Crush "* ]]; then
  mapfile -t batteries < <(printf '%s\n' "${batteries[@]/#Crush/}" Crush/{0..7}/8 | sed '/^$/d')
fi
if [ ${#tests[@]} -ne 0 ]; then need dieharder; fi
generators=("$@")
if [ ${#generators[@]} -eq 0 ]; then
  mapfile -t generators < <(our_generators build)
  generators+=(IDEA-CTR BF-CTR)
fi
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python=${GPUCTR_STATISTICS_PYTHON:-$PWD/$out/venv/bin/python}
if [ "$mib" -ne 0 ]; then
  if ! [ -x "$python" ]; then quietly python3 -m venv "$out/venv"; fi
  "$python" -c 'import sp80022suite' 2>/dev/null ||
    quietly "$out/venv/bin/pip" install 'sp80022suite==0.0.8'
fi

# TestU01 is in Debian's non-free part, so nothing of it is installed: its packages are unpacked into
# a folder and linked statically into our program.
testu01=${GPUCTR_STATISTICS_TESTU01:-$PWD/$out/statistics_testu01}
if ! [ -x "$testu01" ]; then
  bash test/support/unpack-debian.sh "$out/testu01" "" non-free \
    libtestu01-0 libtestu01-0-dev libtestu01-0-dev-common
  from=$out/testu01/usr library=$(dirname "$(find "$out/testu01" -name libtestu01.a)")
  quietly g++ -O2 -std=c++17 -I"$from/include" -I"$from/include/$(basename "$library")" \
    -I"$from/include/testu01" "$here/statistics_testu01.cpp" "$library/libtestu01.a" \
    "$library/libtestu01probdist.a" "$library/libtestu01mylib.a" -o "$testu01"
fi

# stream NAME COUNT-FILE: the bytes of a generator, or keystream under one key from a counter of zeros;
# of `broken`, a spoilt first one's. Key and counter have 16 bytes, from which a cipher takes its own.
stream() {
  local name=$1 whole=whole command cnf # a file of its own: programs on one generator start together
  cnf=$scratch/cnf.$(basename "$2")
  if [ "$name" = broken ]; then name=${generators[0]} whole=broken; fi
  case $name in
  *-CTR)
    openssl_cnf "$module" "" "legacy = yes" >"$cnf"
    command=(openssl enc "-${name,,}" -in /dev/zero -K 000102030405060708090a0b0c0d0e0f -iv 0000000000000000)
    ;;
  *-STREAM)
    openssl_cnf "$module" "$name" >"$cnf"
    command=(openssl rand $((1 << 30)))
    ;;
  *)
    openssl_cnf "$module" "$name-CTR-DRBG" >"$cnf"
    command=(openssl rand $((1 << 30)))
    ;;
  esac
  OPENSSL_CONF=$cnf exec python3 "$here/statistics_stream.py" "$2" "$whole" "${command[@]}"
}

# One program on one generator, its result in a file: dieharder NAME TEST, sp80022 NAME,
# testu01 NAME BATTERY
run_dieharder() {
  local at=$scratch/$1.dieharder.$2
  (stream "$1" "$at.count") | dieharder -g 200 -d "$2" -c '|' 2>/dev/null |
    grep -E '\| *(PASSED|WEAK|FAILED) *$' >"$at" || fail "dieharder -d $2"
}
run_sp80022() {
  (stream "$1" "$scratch/$1.sp80022.count") |
    "$python" "$here/statistics_sp80022.py" "$mib" >"$scratch/$1.sp80022"
}
run_testu01() {
  local at=$scratch/$1.testu01.${2//\//-}
  (stream "$1" "$at.count") | "$testu01" "$2" $(((mib > 0 ? mib : 1024) << 20)) >"$at"
}

# Longest first, so that all cores end together.
plan() {
  local name test battery
  for name in "$@"; do [ "$mib" -eq 0 ] || echo "run_sp80022 $name"; done
  for battery in "${batteries[@]}"; do
    for name in "$@"; do
      case $name$battery in brokenCrush/[1-7]/*) continue ;; esac # one part is enough
      echo "run_testu01 $name $battery"
    done
  done
  for test in "${tests[@]}"; do
    for name in "$@"; do echo "run_dieharder $name $test"; done
  done
}

run_one() {
  read -ra generators <<<"$generators_line"
  "$@"
}

generators_line="${generators[*]}"
export generators_line here scratch module mib python testu01
export -f openssl_cnf stream run_dieharder run_sp80022 run_testu01 run_one fail
# shellcheck disable=SC2016 # for the inner shell
plan "${generators[@]}" broken |
  xargs -P "$jobs" -L 1 bash -c 'set -euo pipefail; run_one "$@"' run_one

rm -f "$out/statistics.json"
python3 "$here/statistics_report.py" "$scratch" "$out/statistics.json" "${generators[@]}" broken
