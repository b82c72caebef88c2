#!/usr/bin/env bash
# usage: tls_cbc.sh MODULE
# TLS 1.2 in CBC, MAC then encrypt and encrypt then MAC: libssl leaves a record's padding and MAC to the
# provider's cipher. s_server and s_client, with ours and without, send each other 3 MB.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh" "$1" LEA-256
certificate
configuration() { # configuration NAME: etm, mte: ours, with and without encrypt-then-MAC; stock
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    'ssl_conf = ssl' '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' \
    '[default_provider]' 'activate = 1' '[gpuctr_provider]' 'activate = 1' "module = $module" '[evp]' \
    'default_properties = ?provider=gpuctr' '[ssl]' 'system_default = tls' '[tls]' 'MaxProtocol = TLSv1.2' \
    >"$scratch/$1.cnf"
  case $1 in
  mte) echo 'Options = -EncryptThenMac' >>"$scratch/mte.cnf" ;;
  stock) sed -i 's/^default_properties = .*/default_properties = provider=default/' "$scratch/stock.cnf" ;;
  esac
}
head -c 3000000 /dev/urandom >"$scratch/data"
for who in etm mte stock; do configuration "$who"; done

# ours NAME SIDE: the trace of that side has the cipher if its configuration asks for it, else nothing.
ours() {
  if [ "$1" = stock ]; then
    if grep -qs AES-256-CBC "$scratch/trace.$2"; then fail "$2: stock, and the cipher was ours"; fi
  else
    grep -q 'AES-256-CBC backend=' "$scratch/trace.$2" || fail "$2: the cipher was not ours"
  fi
}
cd "$scratch"
for server in etm mte stock; do
  for client in etm mte stock; do
    rm -f trace.*
    port=$(free_port)
    OPENSSL_CONF=$server.cnf GPUCTR_TRACE=$scratch/trace.server openssl s_server -quiet -HTTP -cert cert.pem \
      -key key.pem -accept "$port" -cipher ECDHE-ECDSA-AES256-SHA384 >server.log 2>&1 &
    pids=("$!")
    wait_for_port "$port"
    printf 'GET /data HTTP/1.0\r\n\r\n' | OPENSSL_CONF=$client.cnf GPUCTR_TRACE=$scratch/trace.client \
      timeout 20 openssl s_client -quiet -connect "127.0.0.1:$port" 2>client.log >got || true
    kill "${pids[0]}"
    wait "${pids[0]}" 2>/dev/null || true
    pids=()
    tail -c 3000000 got | cmp -s - data || fail "$server to $client: other bytes"
    ours "$server" server
    ours "$client" client
  done
done
echo "TLS 1.2 in CBC: nine pairs of servers and clients sent the same bytes"
