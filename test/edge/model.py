"""HIGHT, LEA, revised CHAM, CTR mode and CTR_DRBG, written from the standards' text alone.

It shares nothing with the C++ code: every formula is in its standard's own notation, on Python
integers, with no precomputation. It is the third party when two implementations disagree, and the
source of the edge-case vectors.

Sources: TTAS.KO-12.0040/R1 (HIGHT), TTAK.KO-12.0223 (LEA), the ICISC 2019 paper (revised CHAM),
SP 800-38A 6.5 and appendix B.1 (CTR), SP 800-90A Rev. 1 10.2.1 and 10.3.2 (CTR_DRBG).
"""

from math import isqrt


def rotl(x, k, bits):
    k %= bits
    return ((x << k) | (x >> (bits - k))) & ((1 << bits) - 1)


def words_from(data, size):
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


def words_to(words, size):
    return b"".join(w.to_bytes(size, "little") for w in words)


class Hight:
    """X[i] of the standard is byte i here: the highest index, printed leftmost there, comes last."""

    name, block, key = "HIGHT", 8, 16

    def __init__(self, key):
        mk = list(key)
        self.wk = [mk[i + 12] if i < 4 else mk[i - 4] for i in range(8)]
        s = [0, 1, 0, 1, 1, 0, 1]  # s_0 .. s_6
        for i in range(1, 128):
            s.append(s[i + 2] ^ s[i - 1])  # s_{i+6}
        delta = [sum(s[i + b] << b for b in range(7)) for i in range(128)]
        self.sk = [0] * 128
        for i in range(8):
            for j in range(8):
                low, high = 16 * i + j, 16 * i + j + 8
                self.sk[low] = (mk[(j - i) % 8] + delta[low]) & 255
                self.sk[high] = (mk[(j - i) % 8 + 8] + delta[high]) & 255

    @staticmethod
    def f0(x):
        return rotl(x, 1, 8) ^ rotl(x, 2, 8) ^ rotl(x, 7, 8)

    @staticmethod
    def f1(x):
        return rotl(x, 3, 8) ^ rotl(x, 4, 8) ^ rotl(x, 6, 8)

    def whiten(self, x, wk):
        x = list(x)
        x[0] = (x[0] + wk[0]) & 255
        x[2] ^= wk[1]
        x[4] = (x[4] + wk[2]) & 255
        x[6] ^= wk[3]
        return x

    def encrypt(self, block):
        x = self.whiten(block, self.wk[:4])
        f0, f1 = self.f0, self.f1
        for i in range(32):
            k = self.sk[4 * i : 4 * i + 4]
            new = [
                x[7] ^ ((f0(x[6]) + k[3]) & 255),
                x[0],
                (x[1] + (f1(x[0]) ^ k[0])) & 255,
                x[2],
                x[3] ^ ((f0(x[2]) + k[1]) & 255),
                x[4],
                (x[5] + (f1(x[4]) ^ k[2])) & 255,
                x[6],
            ]
            # The last round leaves each byte in its place.
            x = new if i < 31 else new[1:] + new[:1]
        return bytes(self.whiten(x, self.wk[4:]))


class Lea:
    block = 16
    rotations = (1, 3, 6, 11, 13, 17)

    def __init__(self, key):
        # delta: the fraction of the square root of 766965, 'L' 'E' 'A' in decimal ASCII.
        fraction = isqrt(766965 << 512) & ((1 << 256) - 1)
        delta = [(fraction >> (224 - 32 * i)) & 0xFFFFFFFF for i in range(8)]
        t = words_from(key, 4)
        n = len(t)
        self.rk = []
        for i in range({4: 24, 6: 28, 8: 32}[n]):
            used = 4 if n == 4 else 6
            fresh = []
            for j in range(used):
                at = (6 * i + j) % 8 if n == 8 else j
                total = (t[at] + rotl(delta[i % n], i + j, 32)) & 0xFFFFFFFF
                t[at] = rotl(total, self.rotations[j], 32)
                fresh.append(t[at])
            if n == 4:
                fresh = [fresh[0], fresh[1], fresh[2], fresh[1], fresh[3], fresh[1]]
            self.rk.append(fresh)

    def encrypt(self, block):
        x = words_from(block, 4)
        for k in self.rk:
            add = lambda a, b: (a + b) & 0xFFFFFFFF  # noqa: E731
            x = [
                rotl(add(x[0] ^ k[0], x[1] ^ k[1]), 9, 32),
                rotl(add(x[1] ^ k[2], x[2] ^ k[3]), 32 - 5, 32),
                rotl(add(x[2] ^ k[4], x[3] ^ k[5]), 32 - 3, 32),
                x[0],
            ]
        return words_to(x, 4)


class Lea128(Lea):
    name, key = "LEA-128", 16


class Lea192(Lea):
    name, key = "LEA-192", 24


class Lea256(Lea):
    name, key = "LEA-256", 32


class Cham:
    def __init__(self, key):
        w = self.bits
        k = words_from(key, w // 8)
        self.rk = [0] * (2 * len(k))
        for i, word in enumerate(k):
            self.rk[i] = word ^ rotl(word, 1, w) ^ rotl(word, 8, w)
            self.rk[(i + len(k)) ^ 1] = word ^ rotl(word, 1, w) ^ rotl(word, 11, w)

    def encrypt(self, block):
        w = self.bits
        x = words_from(block, w // 8)
        for i in range(self.rounds):
            a, b = (1, 8) if i % 2 == 0 else (8, 1)
            k = self.rk[i % len(self.rk)]
            total = ((x[0] ^ i) + (rotl(x[1], a, w) ^ k)) & ((1 << w) - 1)
            x = [x[1], x[2], x[3], rotl(total, b, w)]
        return words_to(x, w // 8)


class Cham64(Cham):
    name, block, key, bits, rounds = "CHAM-64-128", 8, 16, 16, 88


class Cham128(Cham):
    name, block, key, bits, rounds = "CHAM-128-128", 16, 16, 32, 112


class Cham256(Cham):
    name, block, key, bits, rounds = "CHAM-128-256", 16, 32, 32, 120


CIPHERS = {c.name: c for c in (Hight, Lea128, Lea192, Lea256, Cham64, Cham128, Cham256)}


class CounterExhausted(Exception):
    """The message needs a counter block that it has used already."""


def ctr(cipher, key, iv, data, ctr_bits=None):
    """CTR mode. The low ctr_bits bits of the block count modulo 2^ctr_bits and the others stay.

    Without ctr_bits all of the block counts, and wraps silently as OpenSSL's CTR ciphers do; with
    it a message that would use a counter block twice is refused.
    """
    run = cipher(key)
    blocks = -(-len(data) // cipher.block)
    width = ctr_bits or 8 * cipher.block
    if ctr_bits is not None and blocks > 1 << width:
        raise CounterExhausted
    start = int.from_bytes(iv, "big")
    low = start % (1 << width)
    out = b""
    for i in range(blocks):
        counter = (start - low) + (low + i) % (1 << width)
        keystream = run.encrypt(counter.to_bytes(cipher.block, "big"))
        piece = data[i * cipher.block : (i + 1) * cipher.block]
        out += bytes(a ^ b for a, b in zip(piece, keystream))
    return out


class CtrDrbg:
    """SP 800-90A 10.2.1; ctr_len is blocklen. One legal request at a time, no limits enforced."""

    def __init__(self, cipher, use_df):
        self.cipher, self.use_df = cipher, use_df
        self.seedlen = cipher.key + cipher.block

    def update(self, provided):  # 10.2.1.2
        temp = b""
        run = self.cipher(self.k)
        while len(temp) < self.seedlen:
            self.v = self.plus_one(self.v)
            temp += run.encrypt(self.v)
        temp = bytes(a ^ b for a, b in zip(temp, provided))
        self.k, self.v = temp[: self.cipher.key], temp[self.cipher.key : self.seedlen]

    def plus_one(self, v):
        size = self.cipher.block
        return ((int.from_bytes(v, "big") + 1) % (1 << (8 * size))).to_bytes(size, "big")

    def df(self, data):  # 10.3.2, seedlen bytes of output
        size, key = self.cipher.block, self.cipher.key
        s = len(data).to_bytes(4, "big") + self.seedlen.to_bytes(4, "big") + data + b"\x80"
        s += bytes(-len(s) % size)
        temp, i, k = b"", 0, bytes(range(key))
        while len(temp) < key + size:
            temp += self.bcc(k, i.to_bytes(4, "big") + bytes(size - 4) + s)
            i += 1
        run, x, out = self.cipher(temp[:key]), temp[key : key + size], b""
        while len(out) < self.seedlen:
            x = run.encrypt(x)
            out += x
        return out[: self.seedlen]

    def bcc(self, key, data):  # 10.3.3
        run, chain = self.cipher(key), bytes(self.cipher.block)
        for i in range(0, len(data), self.cipher.block):
            piece = data[i : i + self.cipher.block]
            chain = run.encrypt(bytes(a ^ b for a, b in zip(chain, piece)))
        return chain

    def seed_material(self, data, other=b""):
        if self.use_df:
            return self.df(data + other)
        pad = lambda s: s + bytes(self.seedlen - len(s))  # noqa: E731
        return bytes(a ^ b for a, b in zip(pad(data), pad(other)))

    def instantiate(self, entropy, nonce=b"", personalization=b""):  # 10.2.1.3
        self.k, self.v = bytes(self.cipher.key), bytes(self.cipher.block)
        if self.use_df:
            entropy += nonce
        self.update(self.seed_material(entropy, personalization))

    def reseed(self, entropy, additional=b""):  # 10.2.1.4
        self.update(self.seed_material(entropy, additional))

    def generate(self, n, additional=b""):  # 10.2.1.5
        material = bytes(self.seedlen)
        if additional:
            material = self.seed_material(additional)
            self.update(material)
        run, temp = self.cipher(self.k), b""
        while len(temp) < n:
            self.v = self.plus_one(self.v)
            temp += run.encrypt(self.v)
        self.update(material)
        return temp[:n]
