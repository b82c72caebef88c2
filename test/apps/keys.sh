#!/usr/bin/env bash
# Keys, certificates and parameters made twice by the command line: sound, different, and by us.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh"
# make NAME ARGUMENTS...: openssl genpkey twice.
make() {
  local name=$1 i
  shift
  for i in 1 2; do
    openssl genpkey "$@" -out "$scratch/$name$i.pem" >"$scratch/$name.log" 2>&1 &
    local pid=$!
    wait "$pid" || fail "genpkey $*"
    traced "$pid"
    openssl pkey -in "$scratch/$name$i.pem" -check -noout >"$scratch/check.log" 2>&1 ||
      fail "the key of genpkey $* is not sound"
    openssl pkey -in "$scratch/$name$i.pem" -outform DER | sha256sum >>"$scratch/keys"
  done
}
make rsa -algorithm RSA -pkeyopt rsa_keygen_bits:2048
make p256 -algorithm EC -pkeyopt ec_paramgen_curve:P-256
make p521 -algorithm EC -pkeyopt ec_paramgen_curve:P-521
make x25519 -algorithm X25519
make ed25519 -algorithm ED25519
no_repeats "$scratch/keys" 10

for i in 1 2 3; do
  certificate
  openssl verify -CAfile "$scratch/cert.pem" "$scratch/cert.pem" >"$scratch/verify.log" 2>&1 ||
    fail "the certificate is not sound"
  openssl x509 -in "$scratch/cert.pem" -noout -serial >>"$scratch/serials"
done
no_repeats "$scratch/serials" 3

openssl rand -hex 32 >"$scratch/rand"
openssl rand -hex 32 >>"$scratch/rand"
no_repeats "$scratch/rand" 2
echo "genpkey and req -x509, $cipher: 10 keys and 3 certificates, sound and all different"
