#!/usr/bin/env bash
# As a user: a pipe of more than 4 GiB, where a 32-bit count of bytes would have wrapped.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
bytes=$((4500 * 1024 * 1024 + 5))
crypt=(openssl enc -lea-128-ctr -K 00112233445566778899aabbccddeeff
  -iv 000000000000000000000000ffffff00 "${providers[@]}")
head -c "$bytes" /dev/zero | "${crypt[@]}" | tee >(tail -c 4096 >"$work/end") | "${crypt[@]}" -d |
  cmp -s - <(head -c "$bytes" /dev/zero) || fail "4.4 GiB did not come back"
# The last bytes again, from a counter set to where they begin.
blocks=$((bytes / 16 - 4096 / 16))
iv=$(python3 -c "print('%032x' % (0xffffff00 + $blocks))")
head -c 4101 /dev/zero | openssl enc -lea-128-ctr -K 00112233445566778899aabbccddeeff -iv "$iv" \
  "${providers[@]}" | tail -c 4096 | cmp -s - "$work/end" || fail "the end of the pipe is wrong"
