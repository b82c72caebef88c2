#!/usr/bin/env bash
# plant.sh OUT SOURCES FILE TEXT REPLACEMENT: a copy of the sources with a fault in it, where the
# text stands first.
set -euo pipefail
out=$1 sources=$2 file=$3
rm -rf "$out"
mkdir -p "$out"
cp "$sources"/*.sv "$out"
text=$(<"$sources/$file")
[[ $text == *"$4"* ]] || { echo "plant.sh: no such text in $file: $4" >&2 && exit 1; }
printf '%s%s%s\n' "${text%%"$4"*}" "$5" "${text#*"$4"}" >"$out/$file"
touch "$out/planted"
