#!/usr/bin/env bash
# usage: parallel.sh BUILD_DIR
# provider/examples/parallel.sh with two hosts whose ssh is a shell of this machine: the parts are those of one
# `openssl enc`, finished ones are not made again, and a changed source is refused.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../support/openssl-cnf.sh"
command -v parallel >/dev/null || { echo "skipped: there is no GNU parallel" >&2 && exit 77; }
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "examples.parallel: $*" >&2
  cat "$work/said" >&2
  exit 1
}
openssl_cnf "$build/gpuctr.so" >"$work/cnf"
export OPENSSL_CONF=$work/cnf HOME=$work
unset SHELL # as in a service, where GNU parallel guesses it
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# The host's name, --, and the rest as sshd gives it to the user's shell, here the least that POSIX asks for. "down"
# does not answer.
cat >"$work/ssh" <<'SSH'
#!/bin/bash
echo "$1" >>"$HOME/hosts"
[ "$1" != down ] || exit 255
while [ "${1:-}" != -- ]; do shift; done
shift
exec sh -c "$*"
SSH
chmod +x "$work/ssh"

# crypt CIPHER IV SOURCE TARGET: in four ranges, on hosts of which one is down.
crypt() {
  SSH=$work/ssh RANGE=262144 bash "$here/../../provider/examples/parallel.sh" "$work/$3" "$work/$4" "$1" "$2" \
    "$work/key" "${hosts:-one,two,down}" >"$work/said" 2>&1 </dev/null
}
openssl list -cipher-algorithms >"$work/ciphers"
openssl rand -out "$work/plain" 1000003 # no multiple of a block or a range
for case in hight-ctr:fffffffffffffff0 lea-256-ctr:ffffffffffffffffffffffffffffff00; do
  cipher=${case%:*} iv=${case#*:}
  # A build need not have every cipher.
  grep -qi "$cipher" "$work/ciphers" || continue
  if [ "$cipher" = hight-ctr ]; then echo "${key:0:32}"; else echo "$key"; fi >"$work/key"
  openssl enc "-$cipher" -K "$(cat "$work/key")" -iv "$iv" -in "$work/plain" -out "$work/stock"
  : >"$work/hosts"
  crypt "$cipher" "$iv" plain "$cipher" || fail "$cipher does not encrypt"
  cat "$work/$cipher"/part-* | cmp - "$work/stock" || fail "$cipher: other bytes than those of openssl enc"
  for host in one two; do grep -qx "$host" "$work/hosts" || fail "$cipher: host $host has done nothing"; done
  rm "$work/$cipher/part-00000003"
  find "$work/$cipher" -name 'part-*' -exec touch -d @0 {} +
  crypt "$cipher" "$iv" plain "$cipher" || fail "$cipher does not go on"
  cat "$work/$cipher"/part-* | cmp - "$work/stock" || fail "$cipher: other bytes when it went on"
  [ "$(find "$work/$cipher" -name 'part-*' -newermt @1 | wc -l)" = 1 ] || fail "$cipher: made more than was missing"
  cat "$work/$cipher"/part-* >"$work/$cipher.joined"
  crypt "$cipher" "$iv" "$cipher.joined" "$cipher.again" || fail "$cipher does not decrypt"
  cat "$work/$cipher.again"/part-* | cmp - "$work/plain" || fail "$cipher: decryption gives other bytes"
  last="$cipher $iv plain $cipher"
done
[ -e "$work/stock" ] || { echo "skipped: this build has neither LEA nor HIGHT" >&2 && exit 77; }
# shellcheck disable=SC2086 # four words
if crypt ${last/ff/00}; then fail "another IV is taken"; fi
echo x >>"$work/plain"
# shellcheck disable=SC2086
if crypt $last; then fail "a changed source is taken"; fi
grep -q 'has changed' "$work/said" || fail "it does not say that the source has changed"
if crypt lea-256-cbc "$iv" plain padded; then fail "a cipher in CBC is taken"; fi
grep -q 'lea-256-cbc is not a cipher in counter mode' "$work/said" || fail "it does not say that CBC is refused"
[ ! -e "$work/padded" ] || fail "a refused cipher leaves a folder behind"
if hosts=down crypt "${last%% *}" "$iv" plain new; then fail "it works without a host"; fi
echo "parts by two hosts are those of one openssl enc"
