#!/usr/bin/env bash
# usage: example.sh [MODULE_DIR]
# Builds the example's firmware, runs it in libsimavr, and gives its packet to ../provider/examples/gateway.c, which opens
# it with the module in MODULE_DIR (../build). Needs avr-gcc, avr-libc, a C++ compiler, libsimavr-dev, libelf-dev,
# libssl-dev and Python.
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

gateway=../provider/examples
"${CC:-cc}" -O2 -I$gateway -I../provider/core $gateway/gateway.c sim/gateway_device.c -lcrypto -o "$work/gateway"

"$work/serial" "$work/example.elf" >"$work/sent"
[ -s "$work/sent" ] || { echo "example.sh: the device sends nothing" >&2 && exit 1; }
echo "packet:  $(cat "$work/sent")"
OPENSSL_CONF=/dev/null OPENSSL_MODULES=$modules "$work/gateway" single 2 1 1 <"$work/sent"
