#!/usr/bin/env bash
# usage: example.sh [MODULE_DIR]
# Builds the example's firmware, runs it in libsimavr, and opens the message that it sends with `openssl` and the module
# in MODULE_DIR (../build). Needs avr-gcc, avr-libc, a C++ compiler, libsimavr-dev, libelf-dev and Python.
set -euo pipefail
modules=$(realpath -m "${1:-$(dirname "$0")/../build}")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t sources < <(find src -name '*.[cS]' ! -name '*_fixed.*')
avr-gcc -mmcu=atmega128 -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections \
  -Iinclude -Isrc example/*.c "${sources[@]}" -o "$work/example.elf"
avr-objdump -d "$work/example.elf" | python3 tools/skip_lint.py # instructions that the simulator gets wrong
"${CXX:-c++}" -std=c++17 -O2 sim/serial.cpp -lsimavr -lelf -o "$work/serial"

"$work/serial" "$work/example.elf" >"$work/sent"
{ read -r iv && read -r message; } <"$work/sent" || { echo "example.sh: the device sends nothing" >&2 && exit 1; }
echo "IV:      $iv"
echo "message: $message"
python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' "$message" >"$work/message"
opened=$(openssl enc -d -lea-128-ctr -K 000102030405060708090a0b0c0d0e0f -iv "$iv" \
  -provider-path "$modules" -provider gpuctr -provider default -in "$work/message")
echo "opened:  $opened"
