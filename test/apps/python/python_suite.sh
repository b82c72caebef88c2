#!/usr/bin/env bash
# Python's own test_ssl and test_hashlib, with gpuctr in front of OpenSSL's algorithms and its
# generator as the process's: each case ends as it does under the same openssl.cnf without gpuctr.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh"
python=python3 # Debian's, where it has its tests: another may be first on PATH and have none
if [ -x /usr/bin/python3 ]; then python=/usr/bin/python3; fi
suite=$(realpath "$(dirname "$0")")/python_suite.py
sed '/^gpuctr = /d; /^random = /d' "$scratch/openssl.cnf" >"$scratch/without.cnf"

# Most of the time is spent waiting, so both at once. Each in a folder of its own, for its files.
mkdir "$scratch/with" "$scratch/without"
(cd "$scratch/without" && OPENSSL_CONF=$scratch/without.cnf GPUCTR_TRACE='' \
  exec "$python" "$suite" results >"$scratch/without.log" 2>&1) &
pids=("$!")
(cd "$scratch/with" && exec "$python" "$suite" results >"$scratch/with.log" 2>&1) &
pids+=("$!")
for i in 0 1; do
  status=0
  wait "${pids[$i]}" || status=$?
  if [ "$status" = 77 ]; then cat "$scratch"/with*.log && exit 77; fi
  [ "$status" = 0 ] || fail "Python's tests could not run"
done
traced "${pids[1]}"
diff "$scratch/without/results" "$scratch/with/results" >&2 || fail "not the same with gpuctr"
passed=$(grep -c ' ok$' "$scratch/with/results")
[ "$passed" -ge 150 ] || fail "only $passed cases passed"
echo "test_ssl and test_hashlib, $cipher: $(wc -l <"$scratch/with/results") cases end the same," \
  "$passed of them ok, $(grep -c failed "$scratch/with/results") failed"
