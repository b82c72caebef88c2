#!/usr/bin/env bash
# nginx with four workers under our openssl.cnf, TLS 1.3. The provider is loaded, and its generator
# used, in the master; then the workers are forked. Their ServerHello.random must never repeat.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh"
need nginx
need curl
certificate
port=$(free_port)
user=
if [ "$(id -u)" -eq 0 ]; then user="user root;"; fi # the workers append to the trace
cat >"$scratch/nginx.conf" <<CONF
$user
daemon off;
worker_processes 4;
pid $scratch/nginx.pid;
error_log $scratch/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $scratch;
  proxy_temp_path $scratch;
  fastcgi_temp_path $scratch;
  uwsgi_temp_path $scratch;
  scgi_temp_path $scratch;
  server {
    listen 127.0.0.1:$port ssl reuseport;
    ssl_certificate $scratch/cert.pem;
    ssl_certificate_key $scratch/key.pem;
    ssl_protocols TLSv1.3;
    location / {
      add_header X-Worker \$pid;
      return 200 "ok\n";
    }
  }
}
CONF
nginx -c "$scratch/nginx.conf" -e "$scratch/error.log" &
pids+=($!)
wait_for_port "$port"

[ "$(curl -sS --tlsv1.3 --cacert "$scratch/cert.pem" "https://127.0.0.1:$port/")" = ok ] || fail curl

python3 "$(dirname "$0")/handshakes.py" "$port" "$scratch/cert.pem" 300 >"$scratch/lines"
cut -d' ' -f1 "$scratch/lines" >"$scratch/randoms"
no_repeats "$scratch/randoms" 300
mapfile -t workers < <(cut -d' ' -f2 "$scratch/lines" | sort -u)
[ "${#workers[@]}" -eq 4 ] || fail "${#workers[@]} workers answered, not 4"
for worker in "${workers[@]}"; do traced "$worker"; done
echo "nginx, $cipher: 300 handshakes by ${#workers[@]} workers, no ServerHello.random twice"
