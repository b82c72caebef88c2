#!/usr/bin/env bash
# usage: old_files.sh MODULE
# Old files without OpenSSL's legacy provider: PKCS#12, PKCS#8, PEM, CMS, S/MIME and `openssl enc` with RC2, DES,
# Triple DES, SEED, IDEA, CAST5 and Blowfish. What OpenSSL's legacy provider makes, gpuctr reads, and the other way
# round; files/ has files of OpenSSL's own tests.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh" "$1" LEA-256
unset GPUCTR_TRACE
files=$(cd "$(dirname "$0")" && pwd)/files

configuration() { # configuration NAME PROVIDER...: a file that activates these
  local file=$scratch/$1.cnf name
  {
    printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
      '[providers]'
    for name in "${@:2}"; do echo "$name = ${name}_provider"; done
    for name in "${@:2}"; do printf '%s\n' "[${name}_provider]" 'activate = 1'; done
  } >"$file"
  # The section of gpuctr is the last.
  if [ "${*: -1}" = gpuctr ]; then printf '%s\n' "module = $module" 'legacy = yes' >>"$file"; fi
  echo '[evp]' >>"$file"
  if [ "${*: -1}" = gpuctr ]; then echo 'default_properties = ?provider=gpuctr' >>"$file"; fi
}
configuration stock default legacy
configuration ours default gpuctr
configuration neither default
configuration ours-with-pbkdf1 default legacy gpuctr
OPENSSL_CONF=$scratch/stock.cnf openssl list -cipher-algorithms >"$scratch/list" 2>"$scratch/list.log"
grep -q 'RC2-40-CBC.*@ legacy' "$scratch/list" || { echo 'skipped: OpenSSL has no legacy provider here' && exit 77; }

count=0
# both WHAT CIPHER ALGORITHM MAKE READ: functions that take an algorithm and a file; each side makes what both read.
both() {
  local maker reader
  for maker in stock ours; do
    run_as "$maker" "$4" "$3" "$scratch/made"
    if [ "$maker" = ours ]; then was_ours "$2"; fi
    for reader in stock ours; do
      run_as "$reader" "$5" "$3" "$scratch/made" >"$scratch/read"
      cmp -s "$scratch/read" "$scratch/expected" || fail "$1, $3: $reader cannot read what $maker made"
      if [ "$reader" = ours ]; then was_ours "$2"; fi
      count=$((count + 1))
    done
  done
}
# Without gpuctr and the legacy provider the last file cannot be read.
needs_us() {
  if OPENSSL_CONF=$scratch/neither.cnf "$1" "$2" "$scratch/made" >"$scratch/read" 2>"$scratch/as.log"; then
    fail "OpenSSL's default provider reads $2"
  fi
}

OPENSSL_CONF=/dev/null openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=old -keyout "$scratch/key.pem" \
  -out "$scratch/cert.pem" 2>"$scratch/req.log" || fail "openssl req -x509"
OPENSSL_CONF=/dev/null openssl pkey -in "$scratch/key.pem" >"$scratch/expected"

pkcs12_make() {
  openssl pkcs12 -export -keypbe "$1" -certpbe "$1" -macalg sha1 -inkey "$scratch/key.pem" -in "$scratch/cert.pem" \
    -out "$2" -passout pass:secret
}
pkcs12_read() { openssl pkcs12 -in "$2" -nodes -nocerts -passin pass:secret | openssl pkey; }
for pair in PBE-SHA1-RC2-40=RC2-40-CBC PBE-SHA1-RC2-128=RC2-CBC PBE-SHA1-2DES=DES-EDE-CBC PBE-SHA1-3DES=DES-EDE3-CBC \
  seed-cbc=SEED-CBC rc2-cbc=RC2-CBC des-cbc=DES-CBC; do
  both PKCS#12 "${pair#*=}" "${pair%=*}" pkcs12_make pkcs12_read
  case $pair in *DES-EDE*) ;; *) needs_us pkcs12_read "${pair%=*}" ;; esac
done
# The default of OpenSSL 1.0 and 1.1: RC2-40 for the certificate and Triple DES for the key.
pkcs12_old() {
  openssl pkcs12 -export -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-RC2-40 -macalg sha1 -inkey "$scratch/key.pem" \
    -in "$scratch/cert.pem" -out "$2" -passout pass:secret
}
both PKCS#12 DES-EDE3-CBC 'as 1.x' pkcs12_old pkcs12_read

pkcs8_v1() { openssl pkcs8 -topk8 -v1 "$1" -in "$scratch/key.pem" -out "$2" -passout pass:secret; }
pkcs8_v2() { openssl pkcs8 -topk8 -v2 "$1" -in "$scratch/key.pem" -out "$2" -passout pass:secret; }
pem_make() { openssl rsa "-$1" -traditional -in "$scratch/key.pem" -out "$2" -passout pass:secret; }
key_read() { openssl pkey -in "$2" -passin pass:secret; }
for pair in PBE-SHA1-RC2-40=RC2-40-CBC PBE-SHA1-RC2-128=RC2-CBC PBE-SHA1-2DES=DES-EDE-CBC PBE-SHA1-3DES=DES-EDE3-CBC; do
  both PKCS#8 "${pair#*=}" "${pair%=*}" pkcs8_v1 key_read
done
# The object identifier of RC2 is the same with all effective bits, which are a parameter beside it.
for pair in rc2-cbc=RC2-CBC 'rc2-64-cbc=RC2[-0-9]*-CBC' 'rc2-40-cbc=RC2[-0-9]*-CBC' des-cbc=DES-CBC \
  des3=DES-EDE3-CBC seed-cbc=SEED-CBC; do
  both PKCS#8 "${pair#*=}" "${pair%=*}" pkcs8_v2 key_read
done
idea=() # which distributions leave out
if grep -q 'IDEA-CBC.*@ legacy' "$scratch/list"; then idea=(idea); fi
for pair in des=DES-CBC des3=DES-EDE3-CBC seed=SEED-CBC "${idea[@]/%/=IDEA-CBC}"; do
  both PEM "${pair#*=}" "${pair%=*}" pem_make key_read
done
# pbeWithMD5AndDES-CBC and its like (PKCS#5 v1): OpenSSL 3 has their PBKDF1 in its legacy provider only.
for pair in PBE-MD5-DES=DES-CBC PBE-SHA1-DES=DES-CBC PBE-SHA1-RC2-64=RC2-64-CBC; do
  run_as stock pkcs8_v1 "${pair%=*}" "$scratch/made"
  run_as ours-with-pbkdf1 key_read "${pair%=*}" "$scratch/made" >"$scratch/read"
  cmp -s "$scratch/read" "$scratch/expected" || fail "PKCS#8, ${pair%=*}: cannot be read"
  was_ours "${pair#*=}"
  count=$((count + 1))
done

head -c 10000 /dev/urandom >"$scratch/text"
cp "$scratch/text" "$scratch/expected"
cms_make() { openssl cms -encrypt -binary "-$1" -in "$scratch/text" -outform DER -out "$2" "$scratch/cert.pem"; }
cms_read() { openssl cms -decrypt -binary -in "$2" -inform DER -inkey "$scratch/key.pem"; }
smime_make() { openssl smime -encrypt -binary "-$1" -in "$scratch/text" -out "$2" "$scratch/cert.pem"; }
smime_read() { openssl smime -decrypt -binary -in "$2" -inkey "$scratch/key.pem"; }
for pair in rc2-128=RC2-CBC 'rc2-64=RC2[-0-9]*-CBC' 'rc2-40=RC2[-0-9]*-CBC' des=DES-CBC des3=DES-EDE3-CBC \
  seed=SEED-CBC aria-128-cbc=ARIA-128-CBC; do
  both CMS "${pair#*=}" "${pair%=*}" cms_make cms_read
done
# Key agreement, in which Triple DES also wraps the key (RFC 3217).
OPENSSL_CONF=/dev/null openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old \
  -keyout "$scratch/ec.pem" -out "$scratch/ec-cert.pem" 2>"$scratch/req.log" || fail "openssl req -x509"
agreed_make() { openssl cms -encrypt -binary "-$1" -in "$scratch/text" -outform DER -out "$2" "$scratch/ec-cert.pem"; }
agreed_read() { openssl cms -decrypt -binary -in "$2" -inform DER -inkey "$scratch/ec.pem"; }
both 'key agreement' DES-EDE3-WRAP des3 agreed_make agreed_read
both S/MIME RC2-CBC rc2-128 smime_make smime_read # OpenSSL 3.0 cannot read what it makes with RC2-40

# `openssl enc` of 1.0 (MD5), 1.1 (SHA-256) and 3 (PBKDF2).
enc_read() { openssl enc -d "-$1" "${digest[@]}" -pass pass:secret -in "$2"; }
enc_make() { openssl enc "-$1" "${digest[@]}" -pass pass:secret -in "$scratch/text" -out "$2"; }
for cipher in rc2-cbc rc2-40-cbc rc2-64-cbc rc2-ecb des-cbc des-ede-cbc des-ede des-ede3-cbc seed-cbc rc2-cfb \
  rc2-ofb des-ede-cfb bf-cbc cast5-cbc "${idea[@]/%/-cbc}"; do
  ours=${cipher^^}
  [ "$ours" != DES-EDE ] || ours=DES-EDE-ECB
  for digest_of in 'md5' 'sha256' 'sha256 -pbkdf2'; do
    read -ra digest <<<"-md $digest_of"
    both enc "$ours" "$cipher" enc_make enc_read
  done
done

# Files of OpenSSL's own tests: a certificate in PKCS#12 under RC2-40, and what OpenSSL 1.1.1 made with key agreement.
base64 -d "$files/rc2-40.p12.base64" >"$scratch/rc2-40.p12"
run_as ours openssl pkcs12 -in "$scratch/rc2-40.p12" -nokeys -passin pass:v3-certs -out "$scratch/read"
was_ours RC2-40-CBC
grep -q 'BEGIN CERTIFICATE' "$scratch/read" || fail "no certificate in rc2-40.p12"
run_as ours openssl cms -decrypt -in "$files/openssl-1.1.1.cms" -inkey "$files/openssl-1.1.1.pem" -out "$scratch/read"
was_ours DES-EDE3-CBC
was_ours DES-EDE3-WRAP
grep -q 'test content for OpenSSL CMS' "$scratch/read" || fail "openssl-1.1.1.cms: $(head -c 200 "$scratch/read")"
count=$((count + 2))
echo "old files: $count made by one provider and read by another"
