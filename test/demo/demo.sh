#!/usr/bin/env bash
# A file through `openssl enc` and back with every cipher of the provider, as proof; then rates.sh, which measures.
# usage: demo.sh [FILE]   Without FILE, an archive of a part of this machine's /usr is made.
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=test/support/algorithms.sh
. test/support/algorithms.sh
module_dir=${GPUCTR_DEMO_MODULES:-$PWD/build}
most=$((16 << 20)) # bytes: twice through every cipher in a few seconds
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuctr-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() {
  echo "demo: $*" >&2
  exit 1
}

input=$work/input
if [ $# -gt 0 ]; then
  head -c "$most" -- "$1" >"$input"
  what=$1
else
  (tar -cf - -C / usr 2>/dev/null || true) | head -c "$most" >"$input" || true
  what="an archive of this machine's /usr"
fi
size=$(stat -c %s "$input")
[ "$size" -gt 0 ] || fail "$what is empty"
if [ $# -eq 0 ] || [ "$(stat -Lc %s -- "$1")" -gt "$size" ]; then what="the first $((size >> 20)) MiB of $what"; fi
sum=$(sha256sum <"$input")

# openssl with our provider first and OpenSSL's own after it (for PBKDF2).
enc() {
  openssl enc "$@" -pbkdf2 -iter 10000 -pass pass:demonstration -provider-path "$module_dir" -provider gpuctr \
    -provider default
}

mapfile -t ciphers < <(our_ciphers "$module_dir" | sort -V)
[ ${#ciphers[@]} -gt 0 ] || fail "the module in $module_dir offers no cipher"
for cipher in "${ciphers[@]}"; do
  name=${cipher,,}-ctr
  enc -e "-$name" -in "$input" -out "$work/encrypted"
  if cmp -s -n "$size" "$input" "$work/encrypted" || [ "$(stat -c %s "$work/encrypted")" -lt "$size" ]; then
    fail "$cipher-CTR did not encrypt"
  fi
  [ "$cipher" != "${ciphers[0]}" ] || echo "encrypted $what with $cipher-CTR"
  [ "$(enc -d "-$name" -in "$work/encrypted" | sha256sum)" = "$sum" ] || fail "$cipher-CTR did not give the file back"
done
echo "encrypted and decrypted it with each of ${#ciphers[@]} ciphers: the same $size bytes every time"
bash test/demo/rates.sh "$module_dir" "$module_dir/demo.svg"
echo "The same as a picture: build/demo.svg"
