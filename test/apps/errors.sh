#!/usr/bin/env bash
# usage: errors.sh MODULE
# What programs in Python (pyca/cryptography), Node.js and Ruby see of each misuse of AES: exceptions, messages and
# codes are the same with gpuctr in front of OpenSSL's own ciphers as without it.
set -euo pipefail
# shellcheck source=test/support/openssl-cnf.sh
. "$(dirname "$0")/../support/openssl-cnf.sh"
module=$1
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# cryptography loads the default provider itself, so the order of providers is not enough.
openssl_cnf "$module" '' '[evp]' 'default_properties = ?provider=gpuctr' |
  sed 's/^providers = providers$/&\nalg_section = evp/' >"$scratch/with.cnf"
sed '/^gpuctr = /d; /^alg_section/d' "$scratch/with.cnf" >"$scratch/without.cnf"

openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes-128-cbc -pass pass:right -out "$scratch/key.pem" \
  2>"$scratch/log" || fail "openssl genpkey"

compared=0
compare() { # compare NAME LINES COMMAND...: at least so many lines, and no difference
  local name=$1 lines=$2 mode
  shift 2
  OPENSSL_CONF=$scratch/without.cnf "$@" >"$scratch/without" 2>"$scratch/log" ||
    fail "$name, without gpuctr: $(tail -n 5 "$scratch/log")"
  : >"$scratch/trace"
  OPENSSL_CONF=$scratch/with.cnf GPUCTR_TRACE=$scratch/trace "$@" >"$scratch/with" 2>"$scratch/log" ||
    fail "$name, with gpuctr: $(tail -n 5 "$scratch/log")"
  [ "$(wc -l <"$scratch/without")" -ge "$lines" ] || fail "$name printed too little"
  for mode in CBC GCM; do
    grep -q "AES-128-$mode backend=" "$scratch/trace" || fail "$name did not use our AES-128-$mode"
  done
  rm "$scratch/trace"
  diff "$scratch/without" "$scratch/with" >&2 || fail "$name sees other errors with gpuctr in front"
  echo "$name: $(wc -l <"$scratch/with") lines, the same"
  compared=$((compared + 1))
}

python=python3 # Debian's has Debian's cryptography, on Debian's libcrypto
if [ -x /usr/bin/python3 ]; then python=/usr/bin/python3; fi
if "$python" -c 'import cryptography' 2>/dev/null; then
  compare "pyca/cryptography" 30 "$python" "$here/errors.py" "$scratch/key.pem"
fi
if command -v node >/dev/null; then
  compare "Node.js" 24 node --openssl-shared-config "$here/errors.js"
fi
if command -v ruby >/dev/null; then
  compare "Ruby" 50 ruby "$here/errors.rb" "$scratch/key.pem"
fi
[ "$compared" -gt 0 ] || { echo "skipped: no cryptography, Node.js or Ruby here" && exit 77; }
