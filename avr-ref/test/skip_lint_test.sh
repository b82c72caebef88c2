#!/usr/bin/env bash
# The lint sees every pair that it is there for, and nothing else.
# usage: skip_lint_test.sh AVR_GCC AVR_OBJDUMP SKIP_LINT
set -euo pipefail
gcc=$1 objdump=$2 lint=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lints() {
  printf '%s\n' "nop" "$@" "nop" >"$work/a.s"
  "$gcc" -mmcu=atmega128 -c -o "$work/a.o" "$work/a.s"
  "$objdump" -d "$work/a.o" | python3 "$lint" 2>/dev/null
}
for skip in "cpse r2, r3" "sbrc r2, 0" "sbrs r2, 7" "sbic 3, 1" "sbis 3, 1"; do
  for over in "adiw r24, 12" "adiw r30, 13" "sbiw r26, 46" "sbiw r28, 63"; do
    if lints "$skip" "$over"; then echo "missed: $skip over $over" >&2 && exit 1; fi
  done
  for over in "adiw r24, 11" "sbiw r28, 48" "ldi r24, 12"; do
    lints "$skip" "$over" || { echo "wrongly found: $skip over $over" >&2 && exit 1; }
  done
done
lints "adiw r24, 12" "sbrc r2, 0" || { echo "the order does not matter?" >&2 && exit 1; }
if : | python3 "$lint" 2>/dev/null; then echo "nothing to lint passed" >&2 && exit 1; fi
