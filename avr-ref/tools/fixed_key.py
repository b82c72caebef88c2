#!/usr/bin/env python3
"""Writes the key of the `_fixed` ciphers as assembler symbols.

usage: fixed_key.py KEYFILE fixed_key.inc

The key file holds 32 hexadecimal digits, byte 0 first, white space allowed, or 16 raw bytes. What
it writes is as secret as the key, and so is every image that it is built into.
"""
import os
import re
import sys

KEY_SIZE = 16


def read_key(path):
    with open(path, "rb") as file:
        data = file.read()
    if len(data) == KEY_SIZE:
        return data
    text = re.sub(rb"\s", b"", data)
    if not re.fullmatch(rb"[0-9a-fA-F]{%d}" % (2 * KEY_SIZE), text):
        raise ValueError(f"{path}: neither {2 * KEY_SIZE} hexadecimal digits nor {KEY_SIZE} bytes")
    return bytes.fromhex(text.decode())


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        key = read_key(arguments[0])
    except (OSError, ValueError) as error:
        print(f"fixed_key.py: {error}", file=sys.stderr)
        return 1
    lines = "".join(f".set FIXED_KEY{i}, {byte:#04x}\n" for i, byte in enumerate(key))
    with open(os.open(arguments[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
