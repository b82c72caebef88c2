#!/usr/bin/env bash
# Python's ssl module, threads and forked children included, on our generator.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh"
certificate
python3 "$(dirname "$0")/python_ssl.py" "$scratch/cert.pem" "$scratch/key.pem" \
  >"$scratch/samples" 2>"$scratch/python.log" &
pid=$!
wait "$pid" || fail "python_ssl.py"
traced "$pid"
no_repeats "$scratch/samples" 4000
grep -q "seeded" "$GPUCTR_TRACE"
[ "$(grep -c "bytes=33" "$GPUCTR_TRACE")" -ge 4000 ] || fail "the samples did not come from us"
echo "Python ssl, $cipher: $(wc -l <"$scratch/samples") samples of 20 threads and 8 children differ"
