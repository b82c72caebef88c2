#!/usr/bin/env bash
# usage: nginx_aria.sh MODULE
# nginx and curl over TLS 1.2's ARIA-GCM suites, with ours and with OpenSSL's own on either side: 1 MB comes
# back as it was sent, and the traces say whose the records were. A record that was changed on its way is
# answered by the alert bad_record_mac and nothing of it is delivered, by ours as by OpenSSL's own.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh" "$1" LEA-256
need nginx
need curl
export OPENSSL_CONF=/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$scratch/ec.key" -out "$scratch/ec.pem" 2>"$scratch/req.log"
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$scratch/rsa.key" -out "$scratch/rsa.pem" 2>"$scratch/req.log"
cat "$scratch/ec.pem" "$scratch/rsa.pem" >"$scratch/both.pem"
for who in ours stock; do
  [ "$who" = ours ] && query='?provider=gpuctr' || query='provider=default'
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' '[default_provider]' 'activate = 1' \
    '[gpuctr_provider]' 'activate = 1' "module = $module" '[evp]' "default_properties = $query" >"$scratch/$who.cnf"
done
mkdir "$scratch/www" "$scratch/bodies"
head -c 1000000 /dev/urandom >"$scratch/www/data"
head -c 60000 /dev/urandom >"$scratch/www/small"
echo uploaded >"$scratch/www/done"
suites=(ECDHE-ECDSA-ARIA128-GCM-SHA256 ECDHE-ECDSA-ARIA256-GCM-SHA384 ECDHE-ARIA128-GCM-SHA256
  ECDHE-ARIA256-GCM-SHA384)

# start WHO: nginx with that configuration, on port $port. /upload keeps what it gets in a file.
start() {
  local user=
  if [ "$(id -u)" -eq 0 ]; then user="user root;"; fi # the worker appends to the trace
  port=$(free_port)
  cat >"$scratch/nginx.conf" <<CONF
$user
daemon off;
env GPUCTR_TRACE; # nginx gives its workers no other part of its environment
worker_processes 1;
pid $scratch/nginx.pid;
error_log $scratch/error.log info;
events {}
http {
  access_log $scratch/access.log;
  client_body_temp_path $scratch/bodies;
  proxy_temp_path $scratch/www; fastcgi_temp_path $scratch/www;
  uwsgi_temp_path $scratch/www; scgi_temp_path $scratch/www;
  server {
    listen 127.0.0.1:$port ssl;
    ssl_certificate $scratch/ec.pem;
    ssl_certificate_key $scratch/ec.key;
    ssl_certificate $scratch/rsa.pem;
    ssl_certificate_key $scratch/rsa.key;
    ssl_protocols TLSv1.2;
    ssl_ciphers $(IFS=: && echo "${suites[*]}");
    root $scratch/www;
    location /upload {
      client_max_body_size 16m;
      client_body_in_file_only on;
      proxy_pass http://unix:$scratch/inner;
    }
  }
  server {
    listen unix:$scratch/inner;
    root $scratch/www;
    location / { return 200; }
  }
}
CONF
  rm -f "$scratch/inner"
  OPENSSL_CONF=$scratch/$1.cnf GPUCTR_TRACE=$scratch/trace.server nginx -c "$scratch/nginx.conf" \
    -e "$scratch/error.log" 2>"$scratch/nginx.log" &
  pids=("$!")
  wait_for_port "$port"
}
stop() {
  kill "${pids[@]}"
  wait "${pids[@]}" 2>/dev/null || true
  pids=()
}
ask() { # ask WHO SUITE PORT PATH OPTION...: curl, with that configuration
  OPENSSL_CONF=$scratch/$1.cnf GPUCTR_TRACE=$scratch/trace.client curl -sS --max-time 30 --cacert "$scratch/both.pem" \
    --tls-max 1.2 --ciphers "$2" "https://127.0.0.1:$3/$4" "${@:5}" 2>"$scratch/curl.log"
}

# ours WHO SIDE CIPHER: that side's trace has 2 MB of the cipher, or, of stock, nothing. A context writes its
# line when it is freed, nginx's after the client has closed.
ours() {
  local i
  for ((i = 0; i < 50; i++)); do
    if [ "$1" = stock ]; then break; fi
    if awk -v name="$3" '$2 == name { split($4, n, "="); sum += n[2] } END { exit sum < 2000000 }' \
      "$scratch/trace.$2"; then return; fi
    sleep 0.1
  done
  [ "$1" = stock ] || fail "$2: $3 was not ours: $(cat "$scratch/trace.$2")"
  if grep -q -- "$3" "$scratch/trace.$2"; then fail "$2: stock, and $3 was ours"; fi
}

pairs=0
for server in ours stock; do
  start "$server"
  for client in ours stock; do
    for suite in "${suites[@]}"; do
      cipher=$(sed -E 's/.*ARIA(128|256).*/ARIA-\1-GCM/' <<<"$suite")
      rm -f "$scratch/bodies"/*
      : >"$scratch/trace.client"
      : >"$scratch/trace.server"
      ask "$client" "$suite" "$port" data -o "$scratch/got" || fail "$suite, $server to $client"
      cmp -s "$scratch/got" "$scratch/www/data" || fail "$suite, $server to $client: other bytes"
      ask "$client" "$suite" "$port" upload --data-binary "@$scratch/www/data" || fail "$suite, $client to $server"
      cmp -s "$scratch/bodies"/* "$scratch/www/data" || fail "$suite, $client to $server: other bytes"
      ours "$client" client "$cipher"
      ours "$server" server "$cipher"
      pairs=$((pairs + 1))
    done
  done
  stop
done

# tampered SERVER CLIENT SIDE RECORD OFFSET: SIDE's record is changed. The file is of 60000 bytes; a record of
# nginx has 16384 bytes at most.
tampered() {
  local server=$1 client=$2 side=$3 record=$4 offset=$5 middle status=0
  middle=$(free_port)
  python3 "$(dirname "$0")/tamper.py" "$middle" "$port" "$side" "$record" "$offset" >"$scratch/flipped" &
  pids+=("$!")
  wait_for_port "$middle"
  : >"$scratch/got"
  : >"$scratch/access.log"
  : >"$scratch/error.log"
  ask "$client" "${suites[0]}" "$middle" small -o "$scratch/got" || status=$?
  for ((i = 0; i < 30; i++)); do
    if grep -q 'SSL_read() failed' "$scratch/error.log"; then break; fi
    sleep 0.1
  done
  kill "${pids[-1]}"
  wait "${pids[-1]}" 2>/dev/null || true
  unset 'pids[-1]'
  local what="$server to $client, $side's record $record, byte $offset"
  [ "$(cat "$scratch/flipped")" = flipped ] || fail "$what: nothing was changed"
  [ "$status" -eq 56 ] || fail "$what: curl ended with $status, not with 56 for a failure to receive"
  if [ "$side" = server ]; then
    grep -q 'SSL alert number 20' "$scratch/error.log" || fail "$what: no alert came to nginx"
    cmp -s -n "$(stat -c %s "$scratch/got")" "$scratch/got" "$scratch/www/small" || fail "$what: changed data"
    if [ "$record" = 1 ] && [ -s "$scratch/got" ]; then fail "$what: data of that record"; fi
  else
    grep -q 'SSL_read() failed' "$scratch/error.log" || fail "$what: nginx noticed nothing"
    grep -q 'alert bad record mac' "$scratch/curl.log" || fail "$what: no alert came to curl"
    [ ! -s "$scratch/access.log" ] || fail "$what: nginx took the request"
    [ ! -s "$scratch/got" ] || fail "$what: an answer"
  fi
  alerts=$((alerts + 1))
}
alerts=0
for who in ours stock; do
  start "$who"
  # The first byte of the explicit nonce, of the text, and the last of the tag.
  for offset in 0 8 -1; do
    tampered "$who" "$who" server 1 "$offset"
    tampered "$who" "$who" client 1 "$offset"
  done
  tampered "$who" "$who" server 3 100
  stop
done
echo "nginx and curl, $(openssl version | cut -d' ' -f1,2): $pairs pairs with ARIA-GCM, $alerts changed records refused"
