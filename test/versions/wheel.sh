#!/usr/bin/env bash
# usage: wheel.sh BUILD_DIR
# The module inside an OpenSSL that is linked into somebody else's program: PyPI's `cryptography`
# wheel, which carries a newer line than Debian has (4.0 at the time of writing). It makes an RSA key
# with all random numbers from our generator; the same with a generator that nobody has must fail,
# or the configuration was not read at all. Exits 77 where the wheel cannot be had.
set -euo pipefail
# shellcheck source=test/support/openssl-cnf.sh
. "$(dirname "$0")/../support/openssl-cnf.sh"
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv=$build/wheel

skip() {
  echo "skipped: $*" >&2
  exit 77
}

exec 9>"$build/wheel.lock"
flock 9
if ! "$venv/bin/python" -c 'import cryptography' 2>/dev/null; then
  rm -rf "$venv"
  python3 -m venv "$venv" >"$work/log" 2>&1 || skip "no python3-venv: $(tail -n 1 "$work/log")"
  "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: cryptography \
    >"$work/log" 2>&1 || skip "cannot fetch the wheel: $(tail -n 1 "$work/log")"
fi
openssl list -random-generators -provider-path "$build" -provider gpuctr >"$work/log" 2>&1
grep -q LEA-256-CTR-DRBG "$work/log" || skip "this module has no generators"

cat >"$work/use.py" <<'PY'
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives import hashes
pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
keys = [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)]
assert keys[0].private_numbers().p != keys[1].private_numbers().p
keys[0].public_key().verify(keys[0].sign(b"x", pss, hashes.SHA256()), b"x", pss, hashes.SHA256())
print(openssl.openssl_version_text())
PY
run_with() { # run_with GENERATOR
  openssl_cnf "$build/gpuctr.so" "$1" 'properties = provider=gpuctr' >"$work/cnf"
  OPENSSL_CONF=$work/cnf "$venv/bin/python" "$work/use.py"
}
run_with LEA-256-CTR-DRBG >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
version=$(cat "$work/log")
if run_with NONE-CTR-DRBG >"$work/log" 2>&1; then
  echo "wheel: openssl.cnf is not read by this wheel, so nothing was tested" >&2
  exit 1
fi
echo "$version: a key made with LEA-256-CTR-DRBG"
