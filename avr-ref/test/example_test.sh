#!/usr/bin/env bash
# usage: example_test.sh AVR_GCC MODULE_DIR
# example.sh opens the message that the simulated device sends, and README.md's command builds the same firmware as
# pasted into a shell in this folder.
set -euo pipefail
PATH=$(dirname "$1"):$PATH
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash "$here/example.sh" "$2" | tee "$work/said"
grep -qx 'opened:  T=21.5,RH=48,U=3012' "$work/said" || { echo "the message is not opened" >&2 && exit 1; }

sed -n '/^    avr-gcc/,/[^\\]$/s/^    //p' "$here/README.md" >"$work/command"
grep -q '^avr-gcc' "$work/command" || { echo "README.md has no command that builds" >&2 && exit 1; }
cp -r "$here" "$work/avr-ref"
(cd "$work/avr-ref" && sh -e "$work/command")
[ "$(avr-objdump -f "$work/avr-ref/example.elf" | grep -c 'elf32-avr')" = 1 ] || { echo "no firmware" >&2 && exit 1; }
