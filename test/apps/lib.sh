# shellcheck shell=bash
# Sourced by the tests of this folder: a scratch folder, an openssl.cnf, a free port, and clean-up.
# The first argument of each test is the module, the second a cipher.
set -euo pipefail
# shellcheck source=test/support/openssl-cnf.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/openssl-cnf.sh"

module=$1
cipher=${2:-LEA-256}
scratch=$(mktemp -d)
pids=()
clean_up() {
  local pid
  for pid in "${pids[@]:-}"; do
    if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then wait "$pid" 2>/dev/null || true; fi
  done
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "FAILED: $*" >&2
  tail -n 20 "$scratch"/*.log >&2 2>/dev/null || true
  exit 1
}

# CTest takes 77 for a skipped test.
need() {
  command -v "$1" >/dev/null || { echo "skipped: no $1 here" && exit 77; }
}

openssl_cnf "$module" "$cipher-CTR-DRBG" '[req]' 'distinguished_name = name' '[name]' \
  >"$scratch/openssl.cnf"
export OPENSSL_CONF=$scratch/openssl.cnf
export GPUCTR_TRACE=$scratch/trace

# run_as WHO COMMAND...: with the configuration $scratch/WHO.cnf; $scratch/trace has that command's lines alone.
run_as() {
  local who=$1
  shift
  : >"$scratch/trace"
  OPENSSL_CONF=$scratch/$who.cnf GPUCTR_TRACE=$scratch/trace "$@" 2>"$scratch/as.log" ||
    fail "$who: $*: $(cat "$scratch/as.log")"
}
# was_ours CIPHER: the last command of run_as had this cipher from the module.
was_ours() { grep -qi ": $1 backend=" "$scratch/trace" || fail "$1 was not ours: $(cat "$scratch/trace")"; }

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

wait_for_port() {
  local i
  for ((i = 0; i < 100; i++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
    sleep 0.1
  done
  fail "nothing listens on port $1"
}

certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$scratch/key.pem" -out "$scratch/cert.pem" \
    2>"$scratch/req.log" || fail "openssl req -x509"
}

# traced PID: that process took random bytes from our generator, after seeding it.
traced() {
  grep -q "gpuctr\[$1\]: $cipher-CTR-DRBG seeded" "$GPUCTR_TRACE" || fail "process $1 seeded nothing"
  grep -q "gpuctr\[$1\]: $cipher-CTR-DRBG bytes=" "$GPUCTR_TRACE" || fail "process $1 took nothing"
}

# no_repeats FILE COUNT: so many lines, all different.
no_repeats() {
  local all different
  all=$(wc -l <"$1")
  different=$(sort -u "$1" | wc -l)
  [ "$all" -ge "$2" ] || fail "$1 has $all lines, not $2"
  [ "$all" -eq "$different" ] || fail "$((all - different)) of $all lines in $1 repeat others"
}
