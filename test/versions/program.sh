#!/usr/bin/env bash
# usage: program.sh BUILD_DIR RELEASE PROGRAM
# One test program on the OpenSSL of another Debian release, where none of its tests may skip itself.
# Exits 77 where the release cannot be fetched.
set -euo pipefail

build=$(cd "$1" && pwd)
release=$2
program=$3
dir=$build/openssl-$release
bash "$(dirname "$0")/fetch-openssl.sh" "$dir" "$release"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$dir/with" --list "$program" >"$log"
grep -q "libcrypto.*$dir/root" "$log" || {
  echo "program.sh: $program would not use the libcrypto of $release" >&2
  exit 1
}
"$dir/with" "$program" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
if grep '^\[  SKIPPED \]' "$log" >&2; then
  echo "program.sh: skipped on $(cat "$dir/version")" >&2
  exit 1
fi
cat "$log"
