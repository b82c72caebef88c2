#!/usr/bin/env bash
# usage: in_front.sh MODULE
# gpuctr first in openssl.cnf and no [random] section: programs that use OpenSSL's own algorithms must
# not notice. The same commands run without any configuration and under it, and print the same.
set -euo pipefail
# shellcheck source=test/support/openssl-cnf.sh
. "$(dirname "$0")/../support/openssl-cnf.sh"
module=$1
scratch=$(mktemp -d)
pid=
clean_up() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap clean_up EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null; }

request=('[req]' 'distinguished_name = name' '[name]')
openssl_cnf "$module" '' "${request[@]}" >"$scratch/with.cnf"
printf '%s\n' "${request[@]}" >"$scratch/without.cnf"
OPENSSL_CONF=$scratch/with.cnf openssl list -providers >"$scratch/log" 2>&1
grep -q '^  gpuctr$' "$scratch/log" || fail "the provider is not active: $(cat "$scratch/log")"

head -c 300000 /dev/urandom >"$scratch/data"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$scratch/key.pem" -out "$scratch/cert.pem" -days 2 \
  -subj /CN=localhost -addext subjectAltName=DNS:localhost -config "$scratch/without.cnf" 2>"$scratch/log"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# Each prints what has to be the same both times.
ciphers_and_digests() {
  local name key=000102030405060708090a0b0c0d0e0f
  for name in aes-128-ctr aes-128-cbc aria-128-ctr camellia-128-ctr; do
    openssl enc "-$name" -K $key -iv $key -in "$scratch/data" | sha256sum
  done
  for name in md5 sha1 sha256 sha3-512 blake2b512; do openssl dgst "-$name" <"$scratch/data"; done
  openssl enc -aes-256-ctr -pbkdf2 -pass pass:x -in "$scratch/data" -out "$scratch/sealed"
  openssl enc -d -aes-256-ctr -pbkdf2 -pass pass:x -in "$scratch/sealed" | sha256sum
  openssl rand -hex 16 | tr '0-9a-f' x
  openssl list -digest-algorithms | grep -c default || true
}
keys_and_signatures() {
  local type
  for type in rsa ecdsa ed25519; do
    rm -f "$scratch/ssh"*
    ssh-keygen -q -t $type -N 'pass phrase' -f "$scratch/ssh"
    ssh-keygen -y -P 'pass phrase' -f "$scratch/ssh" | cut -d' ' -f1
    ssh-keygen -Y sign -f "$scratch/ssh" -n file -P 'pass phrase' <"$scratch/data" 2>/dev/null |
      head -n 1
    ssh-keygen -l -f "$scratch/ssh.pub" | sed 's/.*(/(/'
  done
  openssl dgst -sha256 -sign "$scratch/key.pem" "$scratch/data" | sha256sum
}
web() { # nginx over TLS, asked by curl
  mkdir -p "$scratch/www"
  cp "$scratch/data" "$scratch/www/data"
  cat >"$scratch/nginx.conf" <<NGINX
daemon off;
worker_processes 2;
pid $scratch/nginx.pid;
error_log $scratch/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $scratch/www; proxy_temp_path $scratch/www; fastcgi_temp_path $scratch/www;
  uwsgi_temp_path $scratch/www; scgi_temp_path $scratch/www;
  server {
    listen 127.0.0.1:$port ssl;
    ssl_certificate $scratch/cert.pem;
    ssl_certificate_key $scratch/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    root $scratch/www;
  }
}
NGINX
  chmod 755 "$scratch" "$scratch/www"
  nginx -e "$scratch/error.log" -c "$scratch/nginx.conf" 2>"$scratch/nginx.log" &
  pid=$!
  local i tls
  for ((i = 0; i < 100; i++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    sleep 0.1
  done
  for tls in --tls-max\ 1.2 --tlsv1.3; do
    for i in 1 2 3; do
      # shellcheck disable=SC2086 # an option and its value
      curl -sS --cacert "$scratch/cert.pem" $tls "https://localhost:$port/data" \
        --resolve "localhost:$port:127.0.0.1" -w '%{http_code} %{ssl_verify_result}\n' \
        -o "$scratch/got"
      sha256sum <"$scratch/got"
    done
  done
  kill "$pid"
  wait "$pid" 2>/dev/null || true
  pid=
}
python_hashlib() { # Python's own test, by the names and results of its cases
  python3 -m unittest -v test.test_hashlib 2>&1 | grep -E '^test_.* \.\.\. ' | sed 's/ (.*\.\.\./ .../' | sort
}

part() { # part NAME PROGRAM FUNCTION
  if ! have "$2" || { [ "$3" = python_hashlib ] && ! python3 -c 'import test.test_hashlib' 2>/dev/null; }; then
    echo "$1: skipped, not installed"
    return
  fi
  OPENSSL_CONF=$scratch/without.cnf "$3" >"$scratch/without" 2>&1 ||
    fail "$1, without the provider: $(tail -n 5 "$scratch/without")"
  OPENSSL_CONF=$scratch/with.cnf "$3" >"$scratch/with" 2>&1 ||
    fail "$1, with the provider: $(tail -n 5 "$scratch/with")"
  [ -s "$scratch/without" ] || fail "$1 printed nothing"
  diff "$scratch/without" "$scratch/with" >&2 || fail "$1 is not the same with the provider in front"
  echo "$1: $(wc -l <"$scratch/with") lines, the same"
}
part "ciphers and digests" openssl ciphers_and_digests
part "ssh-keygen and signatures" ssh-keygen keys_and_signatures
part "nginx and curl" nginx web
part "Python's test_hashlib" python3 python_hashlib
