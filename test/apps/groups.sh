#!/usr/bin/env bash
# A generator's strength and TLS 1.3. OpenSSL 3.5 offers X25519MLKEM768 first, whose key generation and
# encapsulation ask for 192 bits. OpenSSL's own generator over AES-128 or AES-192 is the model: what it
# refuses ours refuses, with an error that says why; what it serves ours serves. With RAND.md's groups for
# a generator of 128 bits a handshake succeeds on every version.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh"
certificate
case $cipher in
*-192) stock=AES-192-CTR ;;
*-256) stock=AES-256-CTR ;;
*) stock=AES-128-CTR ;;
esac
cp "$scratch/openssl.cnf" "$scratch/ours-groups.cnf"
TLS_GROUPS='' openssl_cnf "$module" "$cipher-CTR-DRBG" '[req]' 'distinguished_name = name' '[name]' \
  >"$scratch/ours.cnf"
for kind in ours ours-groups; do
  sed "s/^random = $cipher-CTR-DRBG\$/random = CTR-DRBG\ncipher = $stock/" "$scratch/$kind.cnf" \
    >"$scratch/stock${kind#ours}.cnf"
done

# shake KIND: one handshake, server and client under KIND.cnf. Leaves what they said in KIND.log.
shake() {
  local port status=0 server
  port=$(free_port)
  OPENSSL_CONF=$scratch/$1.cnf openssl s_server -accept "127.0.0.1:$port" -cert "$scratch/cert.pem" \
    -key "$scratch/key.pem" -tls1_3 -www >"$scratch/server" 2>&1 &
  server=$!
  pids+=("$server")
  wait_for_port "$port"
  OPENSSL_CONF=$scratch/$1.cnf openssl s_client -connect "127.0.0.1:$port" -CAfile "$scratch/cert.pem" \
    -verify_return_error -tls1_3 </dev/null >"$scratch/client" 2>&1 || status=$?
  cat "$scratch/server" "$scratch/client" >"$scratch/$1.log"
  return "$status"
}

served=
for kind in stock ours; do
  if shake "$kind"; then served="$served $kind"; fi
done
case $served in
' stock ours') ;;
'')
  grep -q 'insufficient drbg strength' "$scratch/stock.log" || fail 'OpenSSL, for another reason'
  grep -q "$cipher-CTR-DRBG gives 128 bits of strength, 192 were asked for" "$scratch/ours.log" ||
    fail 'refused without that reason'
  ;;
*) fail "only$served made a handshake with the default groups" ;;
esac
for kind in stock-groups ours-groups; do
  shake "$kind" || fail "no handshake, $kind"
done
echo "$(openssl version), $cipher: default groups served by:${served:- none, as by OpenSSL over $stock}"
