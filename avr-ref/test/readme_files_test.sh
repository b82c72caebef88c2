#!/usr/bin/env bash
# README.md's lists of files are enough: for each cipher, a program of just those links.
# usage: readme_files_test.sh AVR_GCC
set -euo pipefail
gcc=$1
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tools/fixed_key.py test/fixed_key.hex "$work/fixed_key.inc"

# row NAME: the files of the table's row whose first cell starts with NAME.
row() {
  local line
  line=$(grep -m1 "^| $1" README.md) || { echo "no row '$1' in README.md" >&2 && exit 1; }
  # shellcheck disable=SC2016  # the backquotes are Markdown's
  grep -o '`[^`]*`' <<<"${line#*|*|}" | tr -d '`' | while read -r file; do
    find src -path "src/$file" -o -path "src/*/$file"
  done
}

# try SYMBOL PART ROW...: links test/size.c for SYMBOL from the files of the rows alone.
try() {
  local symbol=$1 part=$2 name
  shift 2
  rm -rf "$work/src" && mkdir "$work/src"
  for name in always "$@"; do row "$name" >>"$work/list"; done
  sort -u "$work/list" | xargs -I{} cp {} "$work/src" && rm "$work/list"
  find "$work/src" \( -name '*.c' -o -name '*.S' \) -print0 | xargs -0 "$gcc" -mmcu=atmega128 \
    -std=gnu11 -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections -Iinclude "-I$work/src" \
    "-I$work" "-DCIPHER=gpuctr_$symbol" "-D$part" -o "$work/a.elf" test/size.c ||
    { echo "$symbol, $part: README.md's files are not enough" >&2 && exit 1; }
}
lea="LEA, any" hight="HIGHT |" cham="CHAM |"
try lea128 CTR "$lea" "LEA-128 |"
try lea128 DRBG "$lea" "LEA-128 |" "CTR_DRBG |"
try lea128 DRBG "$lea" "LEA-128 |" "CTR_DRBG |" "faster CTR_DRBG, LEA"
try lea128 CMAC "$lea" "LEA-128 |" "CMAC |"
try lea128 CCM "$lea" "LEA-128 |" "CCM |"
try lea192 CTR "$lea" "LEA-192"
try lea256 DRBG "$lea" "LEA-192" "CTR_DRBG |"
try lea256_small CTR "$lea" "LEA, \`_small"
try lea128_fixed CTR "$lea" "LEA-128 |" "LEA-128, key"
try hight CTR "$hight"
try hight CMAC "$hight" "CMAC |"
try hight DRBG "$hight" "CTR_DRBG |"
try hight DRBG "$hight" "CTR_DRBG |" "faster CTR_DRBG, HIGHT"
try hight_small CTR "HIGHT, \`_small"
try hight_fixed CTR "$hight" "HIGHT, key"
try cham64_128 CTR "$cham"
try cham128_256 DRBG "$cham" "CTR_DRBG |"
try cham128_128 DRBG "$cham" "CTR_DRBG |" "faster CTR_DRBG, CHAM"
try cham128_128_small CTR "CHAM, \`_small"
try cham128_256_small CCM "CHAM, \`_small" "CCM |"
