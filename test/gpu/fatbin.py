#!/usr/bin/env python3
"""Checks that a module has machine code for each CUDA architecture, and PTX for the newest.

    fatbin.py MODULE 75-real,80-real,...,120

Reads the module's fat binaries itself: cuobjdump is not everywhere. Their layout is not documented;
the reading of it here agrees with cuobjdump 13. A container starts with a magic number, version,
header size and the size of what follows; each entry in it with its kind, header size and payload
size, and has its architecture at byte 28.
"""
import struct
import sys

MAGIC = 0xBA55ED50
KINDS = {1: "ptx", 2: "sass"}


def containers(image):
    at = image.find(struct.pack("<I", MAGIC))
    while at >= 0:
        _, _, header, size = struct.unpack_from("<IHHQ", image, at)
        if header == 16 and at + header + size <= len(image):
            yield image[at + header : at + header + size]
        at = image.find(struct.pack("<I", MAGIC), at + 4)


def entries(container):
    at = 0
    while at + 32 <= len(container):
        kind, _, header, payload = struct.unpack_from("<HHIQ", container, at)
        if header < 32:
            break
        yield KINDS.get(kind, "other"), struct.unpack_from("<I", container, at + 28)[0]
        at += header + payload


def expected(architectures):
    wanted = set()
    for word in architectures.split(","):
        number, _, suffix = word.partition("-")
        if suffix in ("", "real"):
            wanted.add(("sass", int(number.rstrip("a"))))
        if suffix in ("", "virtual"):
            wanted.add(("ptx", int(number.rstrip("a"))))
    return wanted


def main():
    with open(sys.argv[1], "rb") as module:
        found = [set(entries(c)) for c in containers(module.read())]
    wanted = expected(sys.argv[2])
    if not found:
        sys.exit("no CUDA code in " + sys.argv[1])
    for i, have in enumerate(found):
        if wanted - have:
            sys.exit(f"fat binary {i} of {len(found)} lacks {sorted(wanted - have)}")
    print(f"{len(found)} fat binaries, each with {sorted(wanted)}")


if __name__ == "__main__":
    main()
