#!/usr/bin/env python3
"""Writes the edge-case vectors of the model's ciphers, FOLDER/<family>/edge*.txt, for the tests of a build.

usage: generate.py FOLDER FAMILY...    a family is a folder of kernels/cipher: hight, lea, cham
"""

import hashlib
import pathlib
import sys

from model import CIPHERS, CtrDrbg, ctr

HEADER = """# {title}
# Format: OpenSSL's evp_test. All values are byte strings in hexadecimal.
# Made by the independent model in test/edge, which agrees with every published vector:
# test/edge/published.py.
"""


def stream(label, n):
    """n bytes that look random and are the same everywhere: SHAKE128 of the label."""
    return hashlib.shake_128(label.encode()).digest(n)


def special_keys(n):
    """Keys that a schedule may treat badly: all alike, one bit, one byte, counting."""
    yield "all-zero key", bytes(n)
    yield "all-one key", b"\xff" * n
    yield "alternating bits", b"\xaa" * n
    yield "first bit", b"\x80" + bytes(n - 1)
    yield "last bit", bytes(n - 1) + b"\x01"
    yield "first byte", b"\xff" + bytes(n - 1)
    yield "last byte", bytes(n - 1) + b"\xff"
    yield "halves alike", stream("half", n // 2) * 2


def special_blocks(n):
    yield bytes(n)
    yield b"\xff" * n
    yield b"\x80" + bytes(n - 1)
    yield bytes(n - 1) + b"\x01"
    yield bytes(range(n))


def lengths(block):
    return [0, 1, block - 1, block, block + 1, 2 * block - 1, 2 * block, 3 * block + 5]


class File:
    def __init__(self, name, title):
        self.name = name
        self.lines = HEADER.format(title=title)

    def stanza(self, comment, **fields):
        self.lines += f"\n# {comment}\n"
        for name, value in fields.items():
            name = name.replace("_", ".")
            value = value.hex() if isinstance(value, bytes) else str(value)
            self.lines += f"{name} = {value}".rstrip() + "\n"


def ecb(out, cipher):
    for comment, key in special_keys(cipher.key):
        plain = b"".join(special_blocks(cipher.block))
        run = cipher(key)
        result = b"".join(
            run.encrypt(plain[i : i + cipher.block]) for i in range(0, len(plain), cipher.block)
        )
        out.stanza(
            comment, Cipher=cipher.name + "-ECB", Key=key, Plaintext=plain, Ciphertext=result
        )


def ctr_cases(cipher):
    """(comment, key, iv, length) of the whole-block counter."""
    block = cipher.block
    key = stream(cipher.name + " key", cipher.key)
    iv = stream(cipher.name + " iv", block)
    for n in lengths(block):
        yield f"{n} bytes", key, iv, n
    for carry in range(1, block + 1):
        # The second block carries out of the low `carry` bytes; with all of them it wraps.
        head = iv[: block - carry]
        what = f"carry out of {carry} bytes" if carry < block else "the counter wraps to zero"
        yield what, key, head + b"\xff" * carry, 3 * block
        yield what + " after 37 blocks", key, head + b"\xff" * (carry - 1) + b"\xdb", 41 * block
    yield "counter at zero", key, bytes(block), 2 * block
    yield "sign bit of the low 32 bits", key, iv[: block - 4] + b"\x7f\xff\xff\xff", 3 * block
    yield "sign bit of the low 64 bits", key, iv[: block - 8] + b"\x7f" + b"\xff" * 7, 3 * block
    # Longer than any backend takes at once, with a carry on the way.
    yield "long", key, iv[: block - 2] + b"\xff\x85", 257 * block + 3
    for comment, special in special_keys(cipher.key):
        yield comment, special, bytes(block), block + 1


def plaintext(cipher, n):
    return stream(cipher.name + " plaintext", n)


def ctr_whole(out, cipher):
    for comment, key, iv, n in ctr_cases(cipher):
        plain = plaintext(cipher, n)
        out.stanza(
            comment,
            Cipher=cipher.name + "-CTR",
            Key=key,
            IV=iv,
            Plaintext=plain,
            Ciphertext=ctr(cipher, key, iv, plain),
        )


def ctr_field(out, cipher):
    """A counter field of fewer bits than the block: it wraps inside, the nonce above stays."""
    block = cipher.block
    key, iv = stream(cipher.name + " key", cipher.key), stream(cipher.name + " iv", block)
    for bits in sorted({16, 17, 20, 24, 31, 32, 33, 40, 48, 63, 64, 8 * block - 1, 8 * block}):
        if bits > 8 * block:
            continue
        field = (1 << bits) - 1
        start = int.from_bytes(iv, "big") | field  # all ones: the next block wraps
        for back in (0, 2):
            at = (start - back).to_bytes(block, "big")
            plain = plaintext(cipher, 5 * block - 1)
            out.stanza(
                f"field of {bits} bits, {back} before its end",
                Cipher=cipher.name + "-CTR",
                CtrBits=bits,
                Key=key,
                IV=at,
                Plaintext=plain,
                Ciphertext=ctr(cipher, key, at, plain, bits),
            )


def drbg_cases(cipher, use_df):
    """(comment, entropy, nonce, personalization, additional 1, additional 2, output length)."""
    seed = cipher.key + cipher.block
    size = 32 if use_df else seed
    limit = 1024 if cipher.block == 8 else 65536
    random = lambda what, n: stream(f"{cipher.name} {use_df} {what}", n)  # noqa: E731
    entropy, nonce = random("entropy", size), random("nonce", 16)
    yield "plain", entropy, nonce, b"", b"", b"", 2 * cipher.block + 1
    yield "all zero", bytes(size), bytes(16), b"", b"", b"", seed
    yield "all one", b"\xff" * size, b"\xff" * 16, b"\xff" * seed, b"\xff" * seed, b"", seed
    yield "one byte", entropy, nonce, b"", b"", b"", 1
    for n in (1, cipher.block - 1, cipher.block, cipher.block + 1, seed - 1, seed):
        yield f"inputs of {n} bytes", entropy, nonce, random("p", n), random("a", n), b"", seed
        yield f"second input of {n} bytes", entropy, nonce, b"", b"", random("b", n), seed
    if use_df:  # padding of S at every remainder
        for n in range(cipher.block):
            yield f"entropy of {32 + n} bytes", random("e", 32 + n), nonce, b"", b"", b"", seed
        yield "long inputs", random("e", 1000), nonce, random("p", 999), random("a", 301), b"", 64
    if limit == 1024:
        yield "the largest request", entropy, nonce, b"", b"", b"", limit
    else:
        yield "many blocks", entropy, nonce, b"", b"", b"", 2050


def drbg(out, cipher):
    for use_df in (True, False):
        for comment, entropy, nonce, person, one, two, n in drbg_cases(cipher, use_df):
            d = CtrDrbg(cipher, use_df)
            d.instantiate(entropy, nonce if use_df else b"", person)
            first = d.generate(n, one)
            out.stanza(
                comment,
                Cipher=cipher.name,
                DerivationFunction=int(use_df),
                Entropy=entropy,
                Nonce=nonce,
                Personalization=person,
                Additional_1=one,
                Output_1=first,
                Additional_2=two,
                Output_2=d.generate(n, two),
            )


def files(family):
    name = family.upper()
    ciphers = [cipher for cipher in CIPHERS.values() if cipher.name.startswith(name)]
    out = File("edge.txt", f"Edge cases of {name}: ECB, and CTR")
    out.lines += "# with the whole IV as one big-endian counter.\n"
    for cipher in ciphers:
        ecb(out, cipher)
        ctr_whole(out, cipher)
    yield out
    out = File("edge_ctr_bits.txt", f"Counter fields of {name}: the low CtrBits bits count, the rest stays.")
    for cipher in ciphers:
        ctr_field(out, cipher)
    yield out
    out = File("edge_ctr_drbg.txt", f"Edge cases of CTR_DRBG over {name}.")
    out.lines += "# Reading: as test/vectors/ctr_drbg_nist.txt. Without a derivation function\n"
    out.lines += "# the nonce is unused.\n"
    for cipher in ciphers:
        drbg(out, cipher)
    yield out


def main():
    for family in sys.argv[2:]:
        folder = pathlib.Path(sys.argv[1]) / family
        folder.mkdir(parents=True, exist_ok=True)
        for out in files(family):
            (folder / out.name).write_text(out.lines)


if __name__ == "__main__":
    main()
