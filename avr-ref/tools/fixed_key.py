#!/usr/bin/env python3
"""Makes fixed_key.inc, the key of the `_fixed` ciphers, from a key file.

usage: fixed_key.py KEYFILE OUTPUT

The key file holds 32 hexadecimal digits, byte 0 first; white space does not count. The output is
as secret as the key, and so is every image it is built into.
"""
import pathlib
import sys


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    text = "".join(pathlib.Path(sys.argv[1]).read_text(encoding="ascii").split())
    try:
        key = bytes.fromhex(text)
    except ValueError:
        print(f"{sys.argv[1]}: not hexadecimal", file=sys.stderr)
        return 1
    if len(key) != 16:
        print(f"{sys.argv[1]}: {len(key)} bytes, the key has 16", file=sys.stderr)
        return 1
    lines = [f".set FIXED_KEY{i}, 0x{byte:02x}\n" for i, byte in enumerate(key)]
    pathlib.Path(sys.argv[2]).write_text("".join(lines), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
