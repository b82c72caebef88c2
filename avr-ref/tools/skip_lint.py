#!/usr/bin/env python3
"""Finds instruction pairs that libsimavr 1.6 runs wrongly, in `avr-objdump -d` on standard input.

A skip instruction (CPSE, SBRC, SBRS, SBIC, SBIS) over ADIW or SBIW whose constant ends in C to F
takes the latter for a two-word instruction and skips one word too many. Such an image would count
other cycles, and do other things, than a real device.
"""
import re
import sys

LINE = re.compile(r"\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+\s*\t(\w+)(?:\t([^;]*))?")
SKIPS = {"cpse", "sbrc", "sbrs", "sbic", "sbis"}


def main():
    previous = None
    instructions = 0
    bad = []
    for line in sys.stdin:
        match = LINE.match(line)
        if not match:
            continue
        instructions += 1
        address, name, operands = match.groups()
        if name in {"adiw", "sbiw"} and previous in SKIPS:
            if int(operands.split(",")[1], 0) & 15 >= 12:
                bad.append(f"{address}: {previous} over {name} {operands.strip()}")
        previous = name
    if instructions == 0:
        print("skip_lint.py: no instructions in the input", file=sys.stderr)
        return 2
    for text in bad:
        print(f"libsimavr 1.6 skips too far at {text}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
