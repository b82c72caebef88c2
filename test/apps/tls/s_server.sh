#!/usr/bin/env bash
# openssl s_server and s_client, both on our generator.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh"
certificate
port=$(free_port)
openssl s_server -accept "127.0.0.1:$port" -cert "$scratch/cert.pem" -key "$scratch/key.pem" \
  -tls1_3 -www >"$scratch/server.log" 2>&1 &
server=$!
pids+=("$server")
wait_for_port "$port"
for i in 1 2 3 4; do
  openssl s_client -connect "127.0.0.1:$port" -CAfile "$scratch/cert.pem" -verify_return_error \
    -tls1_3 -msg </dev/null >"$scratch/client.log" 2>&1 &
  client=$!
  wait "$client" || fail "s_client, connection $i"
  grep -q "New, TLSv1.3" "$scratch/client.log" || fail "no TLS 1.3"
  traced "$client"
  # The lines after a message's headline are its bytes, sixteen to a line.
  for hello in ClientHello ServerHello; do
    sed -n "/Handshake.*, $hello\$/,/^[<>]/p" "$scratch/client.log" | grep -E '^ +[0-9a-f]{2} ' |
      tr -d ' \n' | cut -c 13-76 >>"$scratch/randoms"
  done
done
traced "$server"
no_repeats "$scratch/randoms" 8
if grep -qvE "^[0-9a-f]{64}$" "$scratch/randoms"; then fail "not a random value: $(cat "$scratch/randoms")"; fi
echo "s_server and s_client, $cipher: 4 handshakes, 8 random values, all different"
