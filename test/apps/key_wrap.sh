#!/usr/bin/env bash
# usage: key_wrap.sh MODULE
# CMS with wrapped keys: with a key-encryption key (AES), and with key agreement and the wrapping of AES, Camellia, ARIA
# and SEED, of which OpenSSL has only that of AES.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh" "$1" LEA-256
unset GPUCTR_TRACE
here=$(cd "$(dirname "$0")" && pwd)

configuration() { # configuration NAME [PROPERTIES]
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' '[default_provider]' 'activate = 1' \
    '[gpuctr_provider]' "module = $module" 'activate = 1' '[evp]' "${@:2}" >"$scratch/$1.cnf"
}
configuration stock
configuration ours 'default_properties = ?provider=gpuctr'
head -c 5000 /dev/urandom >"$scratch/text"
count=0
for bits in 128 192 256; do
  secret=$(head -c $((bits / 8)) /dev/urandom | od -An -tx1 | tr -d ' \n')
  for maker in stock ours; do
    run_as $maker openssl cms -encrypt -binary -aes-128-cbc -secretkey "$secret" -secretkeyid 01 -in "$scratch/text" \
      -outform DER -out "$scratch/made"
    [ $maker = stock ] || was_ours "AES-$bits-WRAP"
    for reader in stock ours; do
      run_as $reader openssl cms -decrypt -binary -secretkey "$secret" -secretkeyid 01 -inform DER -in "$scratch/made" \
        -out "$scratch/read"
      [ $reader = stock ] || was_ours "AES-$bits-WRAP"
      cmp -s "$scratch/text" "$scratch/read" || fail "AES-$bits-WRAP: $reader cannot read what $maker made"
      count=$((count + 1))
    done
  done
done

OPENSSL_CONF=/dev/null openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=wrap \
  -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>"$scratch/req.log" || fail "openssl req -x509"
for maker in stock ours; do
  run_as $maker openssl cms -encrypt -binary -aes-128-cbc -wrap id-aes128-wrap -in "$scratch/text" -outform DER \
    -out "$scratch/$maker.der" "$scratch/cert.pem"
  [ $maker = stock ] || was_ours AES-128-WRAP
  for reader in stock ours; do
    run_as $reader openssl cms -decrypt -binary -inform DER -in "$scratch/$maker.der" -inkey "$scratch/key.pem" \
      -out "$scratch/read"
    [ $reader = stock ] || was_ours AES-128-WRAP
    cmp -s "$scratch/text" "$scratch/read" || fail "agreement: $reader cannot read what $maker made"
    count=$((count + 1))
  done
done
for row in CAMELLIA-128=1.2.392.200011.61.1.1.3.2 CAMELLIA-192=1.2.392.200011.61.1.1.3.3 \
  CAMELLIA-256=1.2.392.200011.61.1.1.3.4 ARIA-128=1.2.410.200046.1.1.40 ARIA-192=1.2.410.200046.1.1.41 \
  ARIA-256=1.2.410.200046.1.1.42 SEED=1.2.410.200004.7.1.1.1; do
  OPENSSL_CONF=/dev/null python3 "$here/rewrap.py" "$(dirname "$module")" "$scratch/stock.der" "$scratch/key.pem" \
    "${row%=*}-WRAP" "${row#*=}" "$scratch/made" "$scratch/wrong" || fail "rewrap.py: ${row%=*}"
  run_as ours openssl cms -decrypt -binary -inform DER -in "$scratch/made" -inkey "$scratch/key.pem" \
    -out "$scratch/read"
  was_ours "${row%=*}-WRAP"
  cmp -s "$scratch/text" "$scratch/read" || fail "${row%=*}-WRAP: another text"
  if OPENSSL_CONF=$scratch/ours.cnf openssl cms -decrypt -binary -inform DER -in "$scratch/wrong" \
    -inkey "$scratch/key.pem" -out "$scratch/read" 2>"$scratch/as.log"; then
    fail "${row%=*}-WRAP: a wrong key is taken"
  fi
  grep -q 'cipher operation failed' "$scratch/as.log" || fail "${row%=*}-WRAP: $(cat "$scratch/as.log")"
  count=$((count + 1))
done
echo "wrapped keys: $count messages read"
