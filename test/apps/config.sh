#!/usr/bin/env bash
# The sections of provider/RAND.md: right, the check shows it; wrong, no byte comes out.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh"
openssl list -random-instances >"$scratch/list.log"
[ "$(grep -c "^  $cipher-CTR-DRBG @ gpuctr$" "$scratch/list.log")" -eq 3 ] || fail "not all three"
openssl rand -hex 8 >"$scratch/rand.log" 2>&1 || fail "rand"

# wrong NAME SED-COMMAND: an openssl.cnf so changed gives no random bytes and an error.
wrong() {
  sed "$2" "$scratch/openssl.cnf" >"$scratch/wrong.cnf"
  if cmp -s "$scratch/openssl.cnf" "$scratch/wrong.cnf"; then fail "$1: nothing changed"; fi
  if OPENSSL_CONF=$scratch/wrong.cnf openssl rand -hex 8 >"$scratch/out" 2>"$scratch/wrong.log"; then
    fail "$1: openssl rand succeeded"
  fi
  [ ! -s "$scratch/out" ] || fail "$1: bytes came out"
  grep -q "$3" "$scratch/wrong.log" || fail "$1: another error"
}
wrong "a misspelt name" "s/$cipher-CTR-DRBG/$cipher-CTR-DBRG/" "unable to fetch drbg"
wrong "no provider" "s/^gpuctr = .*//" "unable to fetch drbg"
wrong "no module" "s#^module = .*#module = $scratch/none.so#" "unable to fetch drbg"
wrong "a misspelt key" "s/^random = $cipher.*/&\nproperty = x/" "unknown name in random section"

# The one silent mistake, which only the check shows.
sed "s/^random = random$//" "$scratch/openssl.cnf" >"$scratch/forgotten.cnf"
OPENSSL_CONF=$scratch/forgotten.cnf openssl list -random-instances >"$scratch/list.log"
if grep -q gpuctr "$scratch/list.log"; then fail "random = random makes no difference"; fi
echo "openssl.cnf, $cipher: right sections serve, wrong ones give nothing"
