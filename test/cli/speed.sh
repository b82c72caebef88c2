#!/usr/bin/env bash
# As a user: `openssl speed` works for every cipher and direction, and with several processes.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
for name in "${ciphers[@]}"; do
  openssl speed "${providers[@]}" -seconds 1 -bytes 4096 -evp "$name-ctr" >"$work/out" 2>&1 ||
    fail "$name-ctr: $(cat "$work/out")"
  tail -n 1 "$work/out" | grep -qiE "^$name-ctr +[0-9.]+k" || fail "$name-ctr: $(cat "$work/out")"
done
openssl speed "${providers[@]}" -seconds 1 -bytes 4096 -decrypt -evp hight-ecb >"$work/out" 2>&1 ||
  fail "hight-ecb: $(cat "$work/out")"
openssl speed "${providers[@]}" -seconds 1 -bytes 4096 -multi 2 -evp lea-128-ctr >"$work/out" 2>&1 ||
  fail "-multi: $(cat "$work/out")"
openssl speed "${providers[@]}" -seconds 1 -bytes 4096 -aead -evp lea-128-gcm >"$work/out" 2>&1 ||
  fail "lea-128-gcm: $(cat "$work/out")"
tail -n 1 "$work/out" | grep -qiE '^lea-128-gcm +[0-9.]+k' || fail "lea-128-gcm: $(cat "$work/out")"
