#!/usr/bin/env bash
# Statistical tests of every generator, as `openssl rand` gives its bytes: dieharder and NIST SP
# 800-22. Prints a table and writes build/bench/statistics.json. A generator that was broken on
# purpose comes last and has to fail both. Hours with all generators; not part of CI.
#
# usage: statistics.sh [GENERATOR...]     HIGHT, LEA-128, ...; without a name all of them
# GPUCTR_STATISTICS_MIB: MiB that SP 800-22 sees of each generator (1024).
# GPUCTR_STATISTICS_DIEHARDER: numbers of dieharder's tests. Left out of its own `-a`, which takes
# an hour a generator, are the tests that its authors call suspect (5, 6, 7) or not to be used (14),
# and those that repeat others with many parameters (200 to 203).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
# shellcheck source=test/support/run-lib.sh
. test/support/run-lib.sh
need dieharder python3-venv python3-dev gcc openssl

module=$PWD/build/gpuctr.so
out=build/bench
mib=${GPUCTR_STATISTICS_MIB:-1024}
read -ra tests <<<"${GPUCTR_STATISTICS_DIEHARDER:-0 1 2 3 4 8 9 10 11 12 13 15 16 17 100 101 102 204 205 206 207 208 209}"
generators=("$@")
if [ ${#generators[@]} -eq 0 ]; then
  generators=(HIGHT LEA-128 LEA-192 LEA-256 CHAM-64-128 CHAM-128-128 CHAM-128-256)
fi
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! [ -x "$out/venv/bin/python" ]; then quietly python3 -m venv "$out/venv"; fi
python=$PWD/$out/venv/bin/python
"$python" -c 'import sp80022suite' 2>/dev/null ||
  quietly "$out/venv/bin/pip" install 'sp80022suite==0.0.8'

# stream CIPHER COUNT-FILE [broken]
stream() {
  cat >"$scratch/openssl.cnf" <<CNF
config_diagnostics = 1
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
random = random_sect
[provider_sect]
gpuctr = gpuctr_sect
default = default_sect
[gpuctr_sect]
module = $module
activate = 1
[default_sect]
activate = 1
[random_sect]
random = $1-CTR-DRBG
CNF
  OPENSSL_CONF=$scratch/openssl.cnf exec python3 "$here/statistics_stream.py" "${@:2}"
}

# judge NAME CIPHER [broken]: one line of the table, one object of the JSON file.
judge() {
  local name=$1 cipher=$2 test
  local -a broken=("${@:3}")
  : >"$scratch/dieharder"
  echo 0 >"$scratch/bytes"
  for test in "${tests[@]}"; do
    (stream "$cipher" "$scratch/count" "${broken[@]}") |
      dieharder -g 200 -d "$test" -c '|' 2>/dev/null |
      grep -E '\| *(PASSED|WEAK|FAILED) *$' >>"$scratch/dieharder" || fail "dieharder -d $test"
    echo $(($(cat "$scratch/bytes") + $(cat "$scratch/count"))) >"$scratch/bytes"
  done
  (stream "$cipher" "$scratch/count" "${broken[@]}") |
    "$python" "$here/statistics_sp80022.py" "$mib" >"$scratch/sp80022.json"
  python3 - "$name" "$scratch" "$out/statistics.json" <<'PY'
import json, os, sys

name, scratch, path = sys.argv[1:]
lines = [[c.strip() for c in line.split("|")] for line in open(f"{scratch}/dieharder")]
verdicts = [line[-1] for line in lines]
sp80022 = json.load(open(f"{scratch}/sp80022.json"))
count = {v: verdicts.count(v) for v in ("PASSED", "WEAK", "FAILED")}
mib = int(open(f"{scratch}/bytes").read()) >> 20
bad = [t for t, r in sp80022["tests"].items() if r["failed"]]
print(f"{name:<14} {mib:>13} {count['PASSED']:>7} {count['WEAK']:>5} {count['FAILED']:>7} "
      f"{sp80022['mib']:>12} {len(sp80022['tests']) - len(bad):>7} {len(bad):>7}  {', '.join(bad)}",
      flush=True)
whole = json.load(open(path)) if os.path.exists(path) else {}
whole[name] = {"dieharder": {"mib": mib, **count, "results": lines}, "sp80022": sp80022}
json.dump(whole, open(path, "w"), indent=1)
sys.exit(1 if count["FAILED"] or bad else 0)
PY
}

rm -f "$out/statistics.json"
printf '%-14s %13s %7s %5s %7s %12s %7s %7s\n' generator 'dieharder MiB' passed weak failed \
  '800-22 MiB' passed failed
status=0
for cipher in "${generators[@]}"; do judge "$cipher" "$cipher" || status=1; done
if judge broken "${generators[0]}" broken; then
  echo "the broken generator was not noticed" >&2
  status=1
fi
echo "written to $out/statistics.json"
exit "$status"
