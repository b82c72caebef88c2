#!/usr/bin/env bash
# usage: readme.sh BUILD_DIR
# README.md's first listing, pasted into a shell, encrypts and decrypts; its openssl.cnf gives a program our ARIA without
# a property query, and the other algorithms of the default provider.
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "package.readme: $*" >&2
  exit 1
}
# listing PATTERN: the indented listing that has a line with PATTERN.
listing() {
  awk -v pattern="$1" 'function show() { if (found) printf "%s", text; text = ""; found = 0 }
    /^    / { text = text substr($0, 5) "\n"; if ($0 ~ pattern) found = 1; next } { show() } END { show() }' "$source/README.md"
}

cp "$source/README.md" "$work"
ln -s "$build" "$work/build"
listing '^    ./run build$' | grep -v '^\./run build$' >"$work/first"
grep -q '^openssl enc' "$work/first" || fail "there is no first listing"
said=$(cd "$work" && OPENSSL_CONF=/dev/null bash -e first 2>&1)
[ "$said" = same ] || fail "the first listing prints: $said"

listing '^    openssl_conf = ' | sed "s|/path/to/build|$build|" >"$work/openssl.cnf"
grep -q "^module = $build/gpuctr.so" "$work/openssl.cnf" || fail "there is no openssl.cnf"
# This CPU may be one that runs OpenSSL's ARIA faster.
sed -i 's/^algorithms = faster$/algorithms = all/' "$work/openssl.cnf"
export OPENSSL_CONF=$work/openssl.cnf
key=000102030405060708090a0b0c0d0e0f
GPUCTR_TRACE=stderr openssl enc -aria-128-ctr -K $key -iv $key -in "$work/README.md" -out "$work/sealed" \
  2>"$work/trace" || fail "no ARIA: $(cat "$work/trace")"
grep -q 'ARIA-128-CTR backend=' "$work/trace" || fail "the configuration gives OpenSSL's ARIA"
openssl dgst -sha256 "$work/README.md" >"$work/said" 2>&1 || fail "no SHA-256: $(cat "$work/said")"
echo "the listings of README.md work as pasted"
