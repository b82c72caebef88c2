#!/usr/bin/env bash
# usage: names.sh MODULE
# Names that OpenSSL has too. With the default provider in front a plain fetch is OpenSSL's, and
# ?provider=gpuctr gives ours. Files with an object identifier (CMS, S/MIME, PKCS#8, PKCS#12, PEM) made by
# the one are read by the other.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh" "$1" LEA-256
unset GPUCTR_TRACE
configuration() { # configuration NAME [LINE...]: a file; each LINE goes into the module's section
  local file=$scratch/$1.cnf
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' '[default_provider]' \
    'activate = 1' '[gpuctr_provider]' 'activate = 1' "module = $module" "${@:2}" \
    '[evp]' >"$file"
  case $1 in ours*) echo 'default_properties = ?provider=gpuctr' >>"$file" ;; esac
}
configuration stock
configuration ours
configuration ours-own 'algorithms = own'
configuration ours-faster 'algorithms = faster'
configuration stock-named 'algorithms = ARIA-256,AES-128-CBC'

# as WHO CIPHER COMMAND...: runs it under that configuration; the trace shows whose the cipher was.
as() {
  local who=$1 cipher=$2
  shift 2
  run_as "$who" "$@"
  if [ "$who" = ours ]; then
    was_ours "$cipher"
  else
    [ ! -s "$scratch/trace" ] || fail "$cipher was ours, $who: $*: $(cat "$scratch/trace")"
  fi
}

key=(-K 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f -iv 000102030405060708090a0b0c0d0e0f)
head -c 100000 /dev/urandom >"$scratch/text"
for cipher in {AES,ARIA,CAMELLIA}-{128,192,256}-{CBC,CTR} {AES-128,ARIA-192,CAMELLIA-256}-{CFB,CFB8,CFB1,OFB}; do
  bits=${cipher#*-}
  short=("${key[0]}" "${key[1]:0:$((${bits%-*} / 4))}" "${key[@]:2}")
  for who in stock ours ours-own; do
    as "$who" "$cipher" openssl enc "-$cipher" "${short[@]}" -in "$scratch/text" -out "$scratch/sealed.$who"
    cmp -s "$scratch/sealed.stock" "$scratch/sealed.$who" || fail "$cipher: $who has other bytes"
  done
done
# `faster` leaves to OpenSSL what is slower here, on every CPU.
for cipher in AES-256-CBC AES-256-CTR CAMELLIA-256-CBC; do
  as ours-faster "$cipher" openssl enc "-$cipher" "${key[@]}" -in "$scratch/text" -out "$scratch/sealed"
done
# Asked for by a program.
: >"$scratch/who"
OPENSSL_CONF=$scratch/stock.cnf GPUCTR_TRACE=$scratch/who openssl enc -aes-256-cbc "${key[@]}" \
  -propquery '?provider=gpuctr' -in "$scratch/text" -out "$scratch/sealed"
grep -q 'AES-256-CBC backend=' "$scratch/who" || fail "-propquery gives OpenSSL's"

# What a list offers, and nothing else.
OPENSSL_CONF=$scratch/stock-named.cnf openssl list -cipher-algorithms >"$scratch/list"
# Every mode of ARIA-256, at least six, and AES-128-CBC.
[ "$(grep '@ gpuctr' "$scratch/list" | grep -c 'ARIA-256-')" -ge 6 ] ||
  fail "not every mode: $(grep gpuctr "$scratch/list")"
grep '@ gpuctr' "$scratch/list" | grep -v 'ARIA-256-' >"$scratch/others" || :
grep -q 'AES-128-CBC' "$scratch/others" || fail "AES-128-CBC is not offered"
[ "$(wc -l <"$scratch/others")" = 1 ] || fail "more is offered: $(cat "$scratch/others")"
OPENSSL_CONF=$scratch/ours-own.cnf openssl list -cipher-algorithms >"$scratch/list"
! grep '@ gpuctr' "$scratch/list" | grep -E 'AES|ARIA-[0-9]*-([GC]CM|CTR|CBC|CFB.?|OFB|ECB)|CAMELLIA-[0-9]*-(CTR|CBC|CFB.?|OFB|ECB)' || fail "'own' offers OpenSSL's ciphers"
grep -q 'LEA-128-CBC @ gpuctr' "$scratch/list" || fail "'own' does not offer LEA"
grep -q 'CAMELLIA-128-GCM.* @ gpuctr' "$scratch/list" || fail "'own' does not offer what OpenSSL's Camellia lacks"

OPENSSL_CONF=/dev/null openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=names -keyout "$scratch/key.pem" \
  -out "$scratch/cert.pem" 2>"$scratch/req.log"
count=0
# both WHAT CIPHER MAKE READ: functions that take a file; each makes what each reads.
both() {
  local maker reader
  for maker in stock ours; do
    as "$maker" "$2" "$3" "$2" "$scratch/made"
    for reader in stock ours; do
      as "$reader" "$2" "$4" "$2" "$scratch/made" >"$scratch/read"
      cmp -s "$scratch/read" "$scratch/expected" || fail "$1, $2: $reader cannot read what $maker made"
      count=$((count + 1))
    done
  done
}
cms_make() { openssl cms -encrypt -binary "-$1" -in "$scratch/text" -outform DER -out "$2" "$scratch/cert.pem"; }
cms_read() { openssl cms -decrypt -binary -in "$2" -inform DER -inkey "$scratch/key.pem"; }
smime_make() { openssl smime -encrypt -binary "-$1" -in "$scratch/text" -out "$2" "$scratch/cert.pem"; }
smime_read() { openssl smime -decrypt -binary -in "$2" -inkey "$scratch/key.pem"; }
pkcs8_make() { openssl pkcs8 -topk8 -v2 "$1" -in "$scratch/key.pem" -out "$2" -passout pass:secret; }
pkcs8_read() { openssl pkey -in "$2" -passin pass:secret; }
pkcs12_make() {
  openssl pkcs12 -export -keypbe "$1" -certpbe "$1" -inkey "$scratch/key.pem" -in "$scratch/cert.pem" -out "$2" \
    -passout pass:secret
}
pkcs12_read() { openssl pkcs12 -in "$2" -nodes -nocerts -passin pass:secret | openssl pkey; }
pem_make() { openssl rsa "-$1" -traditional -in "$scratch/key.pem" -out "$2" -passout pass:secret; }
for cipher in {aes,aria,camellia}-{128,192,256}-cbc; do
  cp "$scratch/text" "$scratch/expected"
  both CMS "$cipher" cms_make cms_read
  both S/MIME "$cipher" smime_make smime_read
  OPENSSL_CONF=/dev/null openssl pkey -in "$scratch/key.pem" >"$scratch/expected"
  both PKCS#8 "$cipher" pkcs8_make pkcs8_read
  both PKCS#12 "$cipher" pkcs12_make pkcs12_read
done
cp "$scratch/text" "$scratch/expected"
for cipher in aes-{128,192,256}-gcm aria-{128,192,256}-gcm; do # AuthEnvelopedData
  both CMS "$cipher" cms_make cms_read
done
OPENSSL_CONF=/dev/null openssl pkey -in "$scratch/key.pem" >"$scratch/expected"
both PEM aes-256-cbc pem_make pkcs8_read
echo "names that OpenSSL has too: $count files made by one provider and read by another"
