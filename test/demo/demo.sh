#!/usr/bin/env bash
# The main job on real input, as proof: a file through `openssl enc` and back with every cipher of the provider.
# Then rates.sh: EVP in memory beside OpenSSL's own ciphers, which the pipes of the first part would hide.
# usage: demo.sh [FILE]   FILE: at least 256 MiB; without one, an archive of this machine's /usr is made.
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=test/support/algorithms.sh
. test/support/algorithms.sh
module_dir=$PWD/build
size_wanted=$((256 << 20))
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuctr-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

if [ $# -gt 0 ]; then
  input=$1
else
  input=$work/usr.tar
  echo "making the input: an archive of this machine's /usr, the first $((size_wanted >> 20)) MiB"
  (tar -cf - -C / usr 2>/dev/null || true) | head -c "$size_wanted" >"$input" || true
fi
size=$(stat -Lc %s "$input")
if [ "$size" -lt "$size_wanted" ]; then
  echo "demo: $input is $size bytes; at least $size_wanted are needed to measure anything" >&2
  exit 1
fi
sum=$(sha256sum <"$input")

# openssl with our provider in front and OpenSSL's own behind it (for PBKDF2); or OpenSSL's own alone.
enc() {
  local providers=(-provider-path "$module_dir" -provider gpuctr -provider default)
  if [ "$whose" = OpenSSL ]; then providers=(-provider default); fi
  openssl enc "$@" -pbkdf2 -iter 10000 -pass pass:demonstration "${providers[@]}"
}

# Where there is a terminal, pv draws the rate as it goes; elsewhere the table must do.
meter() {
  if [ -t 2 ]; then pv -pterb -s "$size" -N "$1"; else cat; fi
}

now() { date +%s%N; }

# seconds and GB/s of a job that began at $1 (ns)
rate() { awk -v ns=$(($(now) - $1)) -v n="$size" 'BEGIN {printf "%.2f", n / ns}'; }

row() { printf '%-20s %12s %12s   %-8s %s\n' "$@"; }

table=$work/table
row cipher "encrypt GB/s" "decrypt GB/s" backend "round trip" >"$table"
mapfile -t ciphers < <(our_ciphers "$module_dir")
for job in "${ciphers[@]/#/ours }" "OpenSSL ARIA-128" "OpenSSL AES-128"; do
  read -r whose cipher <<<"$job"
  start=$(now)
  meter "$cipher-CTR encrypt" <"$input" | GPUCTR_TRACE=$work/trace enc -e "-${cipher,,}-ctr" >"$work/ct"
  encrypt=$(rate "$start")
  start=$(now)
  back=$(meter "$cipher-CTR decrypt" <"$work/ct" | enc -d "-${cipher,,}-ctr" | sha256sum)
  decrypt=$(rate "$start")
  if [ "$back" != "$sum" ]; then
    echo "demo: $cipher-CTR did not give the file back" >&2
    exit 1
  fi
  if cmp -s -n 4096 "$input" "$work/ct"; then
    echo "demo: $cipher-CTR did not encrypt" >&2
    exit 1
  fi
  backend=$(grep -o 'backend=[a-z0-9-]*' "$work/trace" 2>/dev/null | tail -n 1 | cut -d= -f2 || true)
  [ "$whose" != OpenSSL ] || backend=OpenSSL
  row "$cipher-CTR" "$encrypt" "$decrypt" "${backend:--}" "same bytes" >>"$table"
  rm -f "$work/trace"
  [ -t 2 ] || echo "$cipher-CTR: encrypted and decrypted $((size >> 20)) MiB, same bytes"
done
echo
cat "$table"
echo
echo "One openssl process a row, $((size >> 20)) MiB through a pipe; decrypt includes sha256sum of the result."
echo
echo "The ciphers alone, EVP on 1 MiB in memory, one second each:"
echo
bash test/demo/rates.sh "$module_dir" "$module_dir/demo.svg"
echo "The same as a picture: build/demo.svg"
