#!/usr/bin/env bash
# usage: tls_gcm.sh MODULE
# TLS in GCM and CCM, of ARIA and AES. In TLS 1.2 libssl leaves a record's explicit IV and tag to the provider's
# cipher, in TLS 1.3 it makes them itself.
# s_server and s_client, with ours and with OpenSSL's own, send each other 3 MB.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh" "$1" LEA-256
certificate
for who in ours stock; do
  [ "$who" = ours ] && query='?provider=gpuctr' || query='provider=default'
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' \
    '[default_provider]' 'activate = 1' '[gpuctr_provider]' 'activate = 1' "module = $module" '[evp]' \
    "default_properties = $query" >"$scratch/$who.cnf"
done
head -c 3000000 /dev/urandom >"$scratch/data"

# ours WHO SIDE CIPHER: the trace of that side says that the cipher had its data, or, of stock, nothing.
ours() {
  if [ "$1" = stock ]; then
    if grep -qs -- "$3" "$scratch/trace.$2"; then fail "$2: stock, and $3 was ours"; fi
  else
    awk -v name="$3" '$2 == name { split($4, n, "="); sum += n[2] } END { exit sum < 3000000 }' \
      "$scratch/trace.$2" || fail "$2: $3 was not ours: $(cat "$scratch/trace.$2" 2>/dev/null)"
  fi
}
cd "$scratch"
pairs=0
for suite in ARIA128-GCM-SHA256 ARIA256-GCM-SHA384 AES128-GCM-SHA256 AES256-GCM-SHA384 AES256-CCM AES128-CCM8 \
  TLS_AES_256_GCM_SHA384 TLS_AES_128_CCM_SHA256; do
  case $suite in
  TLS_*)
    cipher=${suite#TLS_}
    cipher=${cipher%_SHA*}
    cipher=${cipher//_/-}
    choice=(-tls1_3 -ciphersuites "$suite")
    ;;
  *)
    cipher=${suite%-SHA*}
    cipher=${cipher%8}
    cipher=${cipher/128/-128}
    cipher=${cipher/256/-256}
    choice=(-tls1_2 -cipher "ECDHE-ECDSA-$suite:@SECLEVEL=0") # OpenSSL 3.2 gives CCM8's short tags no other level
    ;;
  esac
  for server in ours stock; do
    for client in ours stock; do
      if [ "$server $client" = 'stock stock' ]; then continue; fi
      rm -f trace.*
      port=$(free_port)
      OPENSSL_CONF=$server.cnf GPUCTR_TRACE=$scratch/trace.server openssl s_server -quiet -HTTP -cert cert.pem \
        -key key.pem -accept "$port" "${choice[@]}" >server.log 2>&1 &
      pids=("$!")
      wait_for_port "$port"
      printf 'GET /data HTTP/1.0\r\n\r\n' | OPENSSL_CONF=$client.cnf GPUCTR_TRACE=$scratch/trace.client \
        timeout 20 openssl s_client -quiet -connect "127.0.0.1:$port" "${choice[@]}" \
        2>client.log >got || true
      kill "${pids[0]}"
      wait "${pids[0]}" 2>/dev/null || true
      pids=()
      tail -c 3000000 got | cmp -s - data || fail "$suite, $server to $client: other bytes"
      ours "$server" server "$cipher"
      ours "$client" client "$cipher"
      pairs=$((pairs + 1))
    done
  done
done
echo "TLS in GCM and CCM: $pairs pairs of servers and clients sent the same bytes"
