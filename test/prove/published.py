#!/usr/bin/env python3
"""The models of standards/ against the published vectors of kernels/cipher/NAME/vectors.txt: up to 8
of each cipher's, encrypted and decrypted."""

import re
import sys

from ciphers import CIPHERS
from graph import Graph
from prove import ROOT
from standards.word import Word

MOST = 8


def stanzas():
    for path in sorted((ROOT / "kernels" / "cipher").glob("*/vectors.txt")):
        for text in path.read_text().split("\n\n"):
            fields = dict(re.findall(r"^(\w+) *= *(\S+)$", text, re.M))
            if fields.get("Cipher", "").endswith("-ECB") and "Ciphertext" in fields:
                yield fields


def run(cipher, way, fields, data):
    g = Graph()
    key, tweak, data = (
        [Word(g, 8, b) for b in bytes.fromhex(x)] for x in (fields["Key"], fields.get("Tweak", "00" * 16), data)
    )
    keys = cipher.model.schedule(key, tweak) if cipher.tweak else cipher.model.schedule(key)
    out = []
    for i in range(0, len(data), cipher.block):
        out += getattr(cipher.model, way)(keys, data[i : i + cipher.block])
    return bytes(b.v for b in out).hex()


def main():
    wrong, seen = 0, dict.fromkeys((c.name for c in CIPHERS), 0)
    names = {re.sub("[-_]", "", c.name): c for c in CIPHERS}
    for fields in stanzas():
        cipher = names.get(fields["Cipher"][:-4].lower().replace("-", ""))
        if cipher is None or seen[cipher.name] == MOST:
            continue
        seen[cipher.name] += 1
        plain, secret = fields["Plaintext"].lower(), fields["Ciphertext"].lower()
        for way, data, want in (("encrypt", plain, secret), ("decrypt", secret, plain)):
            if run(cipher, way, fields, data) != want:
                wrong += 1
                print(f"{cipher.name}: {way} with key {fields['Key']} differs from what is published")
    for name in (n for n, count in seen.items() if count == 0):
        wrong += 1
        print(f"{name}: no published vector")
    print(f"{sum(seen.values())} published vectors, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
