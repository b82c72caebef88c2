#!/usr/bin/env bash
# usage: example_test.sh AVR_GCC MODULE_DIR
# The gateway opens the packet that the simulated device seals, and README.md's command builds the same firmware as
# pasted into a shell in this folder.
set -euo pipefail
PATH=$(dirname "$1"):$PATH
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash "$here/example.sh" "$2" | tee "$work/said"
opened='opened:  device 1, counter 0x100000001: T=21.5,RH=48,U=3012'
grep -qx "$opened" "$work/said" || { echo "the packet is not opened" >&2 && exit 1; }
grep -q '^gateway: 3 packets, 1 answered, 2 refused,' "$work/said" ||
  { echo "a forged or repeated packet is not refused" >&2 && exit 1; }

sed -n '/^    avr-gcc/,/[^\\]$/s/^    //p' "$here/README.md" >"$work/command"
grep -q '^avr-gcc' "$work/command" || { echo "README.md has no command that builds" >&2 && exit 1; }
cp -r "$here" "$work/avr-ref"
(cd "$work/avr-ref" && sh -e "$work/command")
[ "$(avr-objdump -f "$work/avr-ref/example.elf" | grep -c 'elf32-avr')" = 1 ] || { echo "no firmware" >&2 && exit 1; }
