#!/usr/bin/env bash
# As a user: which backend served me, and can I choose it?
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
cd "$work"
head -c 300000 /dev/urandom >plain
key=(-K 00112233445566778899aabbccddeeff -iv ffffffffffffffffffffffffffffffff)

configure 'cpu = nothing'
GPUCTR_TRACE=$work/trace openssl list -providers >/dev/null
backends=$(sed -n 's/.*it takes auto, \(.*\) on this CPU$/\1/p' trace | tr -d ,)
[[ " $backends " == *" scalar "* ]] || fail "no scalar backend in '$backends'"

configure 'cpu = scalar'
openssl enc -lea-128-ctr "${key[@]}" -in plain -out sealed
for backend in $backends; do
  configure "cpu = $backend"
  rm -f trace
  GPUCTR_TRACE=$work/trace openssl enc -lea-128-ctr "${key[@]}" -in plain -out again
  cmp -s sealed again || fail "$backend made other bytes than scalar"
  grep -q "LEA-128-CTR backend=$backend bytes=300000" trace || fail "trace: $(cat trace)"
done

# Without the variable nothing is printed.
configure
[ -z "$(openssl enc -lea-128-ctr "${key[@]}" -in plain -out again 2>&1)" ] || fail "it printed something"
