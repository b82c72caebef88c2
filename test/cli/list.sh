#!/usr/bin/env bash
# As a user: what does the module offer, and is my openssl.cnf right?
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"

tab=$(printf '\t')
openssl list -cipher-algorithms -provider gpuctr >"$work/list"
openssl list -random-generators -provider gpuctr >>"$work/list"
for name in hight lea-256 cham-64-128 aes-128 aria-256 seed camellia-192; do
  [[ " ${ciphers[*]} " == *" $name "* ]] || fail "there is no $name: ${ciphers[*]}"
done
wide=0
siv=0
for name in "${ciphers[@]}"; do
  upper=${name^^}
  for algorithm in "$upper-CTR" "$upper-ECB" "$upper-CBC" "$upper-CFB" "$upper-CFB8" "$upper-CFB1" "$upper-OFB" \
    "$upper-CTR-DRBG"; do
    grep -qiw -- "$algorithm" "$work/list" || fail "$algorithm is not listed"
  done
  # GCM, CCM, key wrapping and STREAM where the manual's table has a block of 128 bits. OpenSSL writes the names of AES's own in small letters.
  manual=${upper//-/\\\\-}
  if [ "$(sed -n "s/^$manual\\\\-CTR[^${tab}]*${tab}[^${tab}]*${tab}\([0-9]*\)${tab}.*/\1/p" "$build/gpuctr.7")" = 128 ]; then
    for algorithm in "$upper"-{GCM,CCM,WRAP,WRAP-PAD,WRAP-INV,WRAP-PAD-INV,STREAM}; do
      grep -qiw -- "$algorithm" "$work/list" || fail "$algorithm is not listed"
      wide=$((wide + 1))
    done
    # XTS where the key in the manual's table has 128 or 256 bits.
    if grep -q "^$manual\\\\-CTR[^${tab}]*${tab}192${tab}" "$build/gpuctr.7"; then
      if grep -qiw -- "$upper-XTS" "$work/list"; then fail "$upper-XTS is listed"; fi
    else
      grep -qiw -- "$upper-XTS" "$work/list" || fail "$upper-XTS is not listed"
      wide=$((wide + 1))
    fi
  else
    if grep -qiwE -- "$upper-([GC]CM|XTS|WRAP|STREAM)" "$work/list"; then fail "$upper-GCM, -CCM, -XTS, -WRAP or -STREAM is listed"; fi
  fi
  if [[ $upper == AES-* ]]; then
    grep -qiw -- "$upper-GCM-SIV" "$work/list" || fail "$upper-GCM-SIV is not listed"
    siv=$((siv + 1))
  else
    ! grep -qiw -- "$upper-GCM-SIV" "$work/list" || fail "$upper-GCM-SIV is listed"
  fi
  for algorithm in "$upper-CTR" "$upper-CTR-DRBG"; do # a row of the manual's tables
    grep -q "^${algorithm//-/\\\\-}[^${tab}]*${tab}[0-9]" "$build/gpuctr.7" || fail "the manual has no row of $algorithm"
  done
done
! grep -q '^ *CTR-DRBG' "$work/list" || fail "the plain name CTR-DRBG is taken"
[ "$(grep -c '@ gpuctr' "$work/list")" = $((8 * ${#ciphers[@]} + wide + siv)) ] ||
  fail "not eight algorithms for each of ${#ciphers[@]} ciphers, $wide for blocks of 128 bits, $siv of GCM-SIV: $(cat "$work/list")"

configure
openssl list -providers >"$work/list"
grep -q 'name: gpuctr: block ciphers and CTR_DRBG' "$work/list" || fail "not active: $(cat "$work/list")"

openssl list -providers -verbose >"$work/list"
grep -q 'gpu-fallbacks' "$work/list" || fail "the counters are not listed"

# A stream generator as the program's own.
if [[ " ${ciphers[*]} " == *" aes-256 "* ]]; then
  openssl_cnf gpuctr AES-256-STREAM >"$OPENSSL_CONF"
  openssl list -random-instances >"$work/list"
  [ "$(grep -c 'AES-256-STREAM @ gpuctr' "$work/list")" = 3 ] || fail "no stream generator: $(cat "$work/list")"
  [ "$(openssl rand 1000003 | wc -c)" = 1000003 ] || fail "openssl rand over a stream generator"
fi

# A wrong value: the others go on, and the trace says what is wrong.
configure 'cpu = z80'
GPUCTR_TRACE=$work/trace openssl list -providers >"$work/list"
! grep -q gpuctr "$work/list" || fail "a bad value was taken"
grep -q 'not loaded: cpu = z80: it takes auto, ' "$work/trace" || fail "the trace does not say why"
