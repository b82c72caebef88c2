#!/usr/bin/env bash
# As a user: a file, a pipe or standard input is encrypted with a password and read back.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
cd "$work"
head -c 1234567 /dev/urandom >plain

for name in "${ciphers[@]}"; do
  crypt=(openssl enc "-$name-ctr" -pbkdf2 -pass pass:secret "${providers[@]}")
  "${crypt[@]}" -in plain -out sealed
  "${crypt[@]}" -d -in sealed -out again
  cmp -s plain again || fail "$name: the file did not come back"
  [ "$(head -c 8 sealed)" = Salted__ ] || fail "$name: no salt at the front"
  [ "$(stat -c %s sealed)" = $((1234567 + 16)) ] || fail "$name: counter mode changed the length"
  ! tail -c +17 sealed | cmp -s - plain || fail "$name: nothing was encrypted"

  head -c 1000003 plain >part
  head -c 1000003 plain | "${crypt[@]}" | "${crypt[@]}" -d | cmp -s - part ||
    fail "$name: the pipe lost bytes"
  : >empty
  "${crypt[@]}" -in empty | "${crypt[@]}" -d >again
  [ ! -s again ] || fail "$name: an empty file became longer"
  openssl enc -d "-$name-ctr" -pbkdf2 -pass pass:other "${providers[@]}" -in sealed -out again
  ! cmp -s plain again || fail "$name: any password opens it"

  for mode in ecb cbc cfb ofb; do
    openssl enc "-$name-$mode" -pbkdf2 -pass pass:secret "${providers[@]}" -in plain |
      openssl enc -d "-$name-$mode" -pbkdf2 -pass pass:secret "${providers[@]}" | cmp -s - plain ||
      fail "$name-$mode: the file did not come back"
  done
done

# Names in any case, and HIGHT's alias.
key=(-K 00112233445566778899aabbccddeeff -iv 0011223344556677)
openssl enc -HIGHT-CTR "${key[@]}" "${providers[@]}" -in plain -out sealed
openssl enc -hight-128-ctr "${key[@]}" "${providers[@]}" -in plain | cmp -s - sealed ||
  fail "HIGHT-128-CTR is not HIGHT-CTR"

fails_with 'lea-512-ctr' openssl enc -lea-512-ctr "${key[@]}" "${providers[@]}" -in plain
