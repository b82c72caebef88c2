#!/usr/bin/env bash
# usage: rates.sh MODULE_FOLDER SVG [CIPHER...]
# Rates of EVP on 1 MiB in memory, one process, a second each: the module's ciphers in counter mode (all of them, or
# those named) and the ciphers of these names that OpenSSL has. Prints a table, and draws it into the file SVG.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/algorithms.sh
. "$here/../support/algorithms.sh"
module_dir=$1
svg=$2
shift 2
if [ $# -gt 0 ]; then ciphers=("$@"); else mapfile -t ciphers < <(our_ciphers "$module_dir"); fi
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuctr-rates.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OPENSSL_CONF=/dev/null

# A line of the table that chart.py draws: whose, cipher, bytes a second, backend.
rate() { # rate gpuctr|OpenSSL CIPHER
  local providers=(-provider default) line backend=OpenSSL
  if [ "$1" = gpuctr ]; then providers=(-provider-path "$module_dir" -provider gpuctr -provider default); fi
  rm -f "$work/trace"
  # -elapsed: threads and cards do not count as time of this process.
  line=$(GPUCTR_TRACE=$work/trace openssl speed -mr -elapsed -seconds 1 -bytes 1048576 "${providers[@]}" \
    -evp "$2-CTR" 2>"$work/said" | grep '^+F:') || { cat "$work/said" >&2 && return 1; }
  if [ "$1" = gpuctr ]; then
    backend=$(grep -o 'backend=[a-z0-9-]*' "$work/trace" | tail -n 1 | cut -d= -f2)
  fi
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "${line##*:}" "$backend"
}

stock=$(openssl list -cipher-algorithms -provider default)
jobs=("OpenSSL AES-128")
for cipher in "${ciphers[@]}"; do
  jobs+=("gpuctr $cipher")
  if [ "$cipher" != AES-128 ] && grep -qw -- "$cipher-CTR" <<<"$stock"; then jobs+=("OpenSSL $cipher"); fi
done
echo "measuring rates: about ${#jobs[@]} seconds"
for i in "${!jobs[@]}"; do
  if [ -t 2 ]; then printf '\rmeasuring %s of %s ' "$((i + 1))" "${#jobs[@]}" >&2; fi
  # shellcheck disable=SC2086 # two words
  rate ${jobs[i]} >>"$work/rates"
done
if [ -t 2 ]; then printf '\r%40s\r' '' >&2; fi
echo
python3 "$here/chart.py" "$svg" <"$work/rates"
