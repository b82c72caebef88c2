#!/usr/bin/env bash
# nginx over TLS 1.2 with ARIA-GCM and AES-GCM suites, its ciphers ours or OpenSSL's own, one worker, the client
# always ours: MB/s of one connection and the worker's CPU seconds for a GB, each the best of six, and new
# handshakes a second with `openssl s_time` and the worker's CPU milliseconds for one, the best of three; ours and
# OpenSSL's take turns. In the ARIA-256 rows 10 GB go once more through one connection, and each byte is compared.
# Prints a table and writes build/bench/tls.json.
#
# usage: tls.sh
# GPUCTR_TLS_GB: gigabytes that are compared (10); a tenth of it where the cipher is OpenSSL's own ARIA
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=${GPUCTR_BUILD:-build}
gigabytes=${GPUCTR_TLS_GB:-10}
out=$build/bench
mkdir -p "$out"
# The file is in memory where there is such a folder: no disk is to be measured.
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/gpuctr-tls-XXXXXX")
declare -A nginx_pid port best best_cpu shakes shake_cpu
clean_up() {
  if [ ${#nginx_pid[@]} -ne 0 ]; then kill "${nginx_pid[@]}" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap clean_up EXIT
fail() {
  echo "bench tls: $*" >&2
  tail -n 5 "$scratch"/*.log >&2 2>/dev/null || true
  exit 1
}

mb=1000
head -c $((mb * 1000000)) /dev/urandom >"$scratch/data"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 -config /dev/null \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>"$scratch/req.log"
for who in ours OpenSSL; do
  [ "$who" = ours ] && query='?provider=gpuctr' || query='provider=default'
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' '[default_provider]' 'activate = 1' \
    '[gpuctr_provider]' 'activate = 1' "module = $PWD/$build/gpuctr.so" '[evp]' "default_properties = $query" \
    >"$scratch/$who.cnf"
done
user=
if [ "$(id -u)" -eq 0 ]; then user="user root;"; fi
start() { # start WHO: nginx on port[WHO]
  port[$1]=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  cat >"$scratch/$1.conf" <<CONF
$user
daemon off;
worker_processes 1;
pid $scratch/$1.pid;
events {}
http {
  access_log off;
  keepalive_requests 1000;
  client_body_temp_path $scratch; proxy_temp_path $scratch; fastcgi_temp_path $scratch;
  uwsgi_temp_path $scratch; scgi_temp_path $scratch;
  server {
    listen 127.0.0.1:${port[$1]} ssl;
    ssl_certificate $scratch/cert.pem;
    ssl_certificate_key $scratch/key.pem;
    ssl_protocols TLSv1.2;
    ssl_ciphers ALL;
    root $scratch;
  }
}
CONF
  OPENSSL_CONF=$scratch/$1.cnf nginx -c "$scratch/$1.conf" -e "$scratch/error.log" 2>"$scratch/nginx.log" &
  nginx_pid[$1]=$!
  local i
  for ((i = 0; i < 100; i++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/${port[$1]}") 2>/dev/null; then return; fi
    sleep 0.1
  done
  fail "nginx does not listen"
}
# CPU seconds that the worker has used, in clock ticks: fields 14 and 15 of proc(5)'s stat.
ticks() {
  local master=${nginx_pid[$1]}
  awk '{ print $14 + $15 }' "/proc/$(cut -d' ' -f1 "/proc/$master/task/$master/children")/stat"
}
fetch() { # fetch WHO SUITE TIMES: the file so many times through one connection, to standard output
  OPENSSL_CONF=$scratch/ours.cnf curl -sS --cacert "$scratch/cert.pem" --tls-max 1.2 --ciphers "$2" \
    "https://127.0.0.1:${port[$1]}/data?[1-$3]"
}
compared() { # compared WHO SUITE TIMES
  fetch "$1" "$2" "$3" | cmp - <(for ((i = 0; i < $3; i++)); do cat "$scratch/data"; done) >&2 ||
    fail "$2, $1: other bytes"
}
transfer() { # transfer WHO SUITE TIMES: best and best_cpu
  local before from rate cpu
  before=$(ticks "$1")
  from=$(date +%s.%N)
  fetch "$1" "$2" "$3" >/dev/null || fail "curl, $2"
  read -r rate cpu < <(python3 -c "import sys; a = list(map(float, sys.argv[1:]))
print(f'{a[0] / (a[2] - a[1]):.0f} {(a[4] - a[3]) / a[5] / (a[0] / 1e3):.3f}')" \
    $((mb * $3)) "$from" "$(date +%s.%N)" "$before" "$(ticks "$1")" "$(getconf CLK_TCK)")
  best[$1]=$(printf '%s\n' "${best[$1]}" "$rate" | sort -g | tail -n 1)
  best_cpu[$1]=$(printf '%s\n' "${best_cpu[$1]}" "$cpu" | sort -g | head -n 1)
}
handshakes() { # handshakes WHO SUITE: shakes and shake_cpu
  local before counted rate cpu
  before=$(ticks "$1")
  counted=$(OPENSSL_CONF=$scratch/ours.cnf openssl s_time -connect "127.0.0.1:${port[$1]}" -new -time 3 -cipher "$2" \
    2>/dev/null | sed -nE 's/^([0-9]+) connections in ([0-9]+) real seconds.*/\1 \2/p')
  read -r rate cpu < <(awk -v ticks=$(($(ticks "$1") - before)) -v hertz="$(getconf CLK_TCK)" \
    '{ printf "%.0f %.3f\n", $1 / $2, 1000 * ticks / hertz / $1 }' <<<"$counted")
  shakes[$1]=$(printf '%s\n' "${shakes[$1]}" "$rate" | sort -g | tail -n 1)
  shake_cpu[$1]=$(printf '%s\n' "${shake_cpu[$1]}" "$cpu" | sort -g | head -n 1)
}

start ours
start OpenSSL
lines=$scratch/lines
for suite in ECDHE-ECDSA-ARIA128-GCM-SHA256 ECDHE-ECDSA-ARIA256-GCM-SHA384 ECDHE-ECDSA-AES128-GCM-SHA256 \
  ECDHE-ECDSA-AES256-GCM-SHA384; do
  for who in ours OpenSSL; do
    best[$who]=0
    best_cpu[$who]=1000
    shakes[$who]=0
    shake_cpu[$who]=1000
  done
  for ((round = 0; round < 6; round++)); do
    for who in ours OpenSSL; do transfer "$who" "$suite" 1; done
  done
  for ((round = 0; round < 3; round++)); do
    for who in ours OpenSSL; do handshakes "$who" "$suite"; done
  done
  for who in ours OpenSSL; do
    all=0
    case $who-$suite in
    ours-*ARIA256*) all=$((gigabytes * 1000 / mb)) ;;
    OpenSSL-*ARIA256*) all=$(((gigabytes * 1000 / mb + 9) / 10)) ;;
    esac
    if [ "$all" -ne 0 ]; then compared "$who" "$suite" "$all"; fi
    echo "$suite $who ${best[$who]} ${best_cpu[$who]} ${shakes[$who]} ${shake_cpu[$who]} $((all * mb / 1000))" >>"$lines"
  done
  echo "$suite: done" >&2
done

python3 - "$lines" "$out/tls.json" "$(openssl version)" "$(nginx -v 2>&1)" <<'PYTHON'
import json
import os
import sys

cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
rows = []
print(f"{'suite':32} {'server':8} {'MB/s':>6} {'CPU s/GB':>9} {'handshakes/s':>13} {'CPU ms each':>12} {'GB compared':>12}")
for line in open(sys.argv[1]):
    suite, who, rate, seconds, shakes, shake_cpu, checked = line.split()
    rows.append({"suite": suite, "server": who, "mb_per_s": int(rate), "worker_cpu_s_per_gb": float(seconds),
                 "handshakes_per_s": int(shakes), "worker_cpu_ms_per_handshake": float(shake_cpu),
                 "gb_compared": int(checked)})
    print(f"{suite:32} {who:8} {rate:>6} {seconds:>9} {shakes:>13} {shake_cpu:>12} {checked:>12}")
with open(sys.argv[2], "w", encoding="ascii") as file:
    json.dump({"cpu": cpu, "cores": os.cpu_count(), "load": os.getloadavg()[1], "openssl": sys.argv[3],
               "nginx": sys.argv[4].split()[-1], "client": "ours",
               "rows": rows}, file, indent=1)
    file.write("\n")
print(f"\nwritten to {sys.argv[2]}")
PYTHON
