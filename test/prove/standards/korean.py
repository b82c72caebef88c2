"""LEA (TTAK.KO-12.0223), HIGHT (TTAS.KO-12.0040/R1), revised CHAM (ICISC 2019), ARIA (RFC 5794) and
SEED (TTAS.KO-12.0004/R1, RFC 4269), written from the documents."""

import struct
from math import isqrt

from .field import aes_table, affine_table, inverse_of, power_table
from .word import bytes_be, bytes_le, join, total, words_be, words_le


class Lea:
    ROUNDS = {16: 24, 24: 28, 32: 32}

    FRACTION = isqrt(766965 << 512) & ((1 << 256) - 1)  # 'L', 'E', 'A' in decimal ASCII
    DELTA = struct.unpack(">8I", FRACTION.to_bytes(32, "big"))

    def schedule(self, key):
        t = words_le(key, 4)
        n = len(t)
        out = []
        for i in range(self.ROUNDS[len(key)]):
            d = t[0].made(self.DELTA[i % n])
            if n == 8:
                at = [(6 * i + j) % 8 for j in range(6)]
            else:
                at = list(range(n))
            for j, (place, turn) in enumerate(zip(at, (1, 3, 6, 11, 13, 17))):
                t[place] = (t[place] + d.rotl(i + j)).rotl(turn)
            if n == 4:
                out.append([t[0], t[1], t[2], t[1], t[3], t[1]])
            else:
                out.append([t[place] for place in at])
        return out

    def encrypt(self, keys, block):
        x = words_le(block, 4)
        for k in keys:
            x = [
                ((x[0] ^ k[0]) + (x[1] ^ k[1])).rotl(9),
                ((x[1] ^ k[2]) + (x[2] ^ k[3])).rotr(5),
                ((x[2] ^ k[4]) + (x[3] ^ k[5])).rotr(3),
                x[0],
            ]
        return bytes_le(x)

    def decrypt(self, keys, block):
        x = words_le(block, 4)
        for k in reversed(keys):
            a = x[3]
            b = (x[0].rotr(9) - (a ^ k[0])) ^ k[1]
            c = (x[1].rotl(5) - (b ^ k[2])) ^ k[3]
            d = (x[2].rotl(3) - (c ^ k[4])) ^ k[5]
            x = [a, b, c, d]
        return bytes_le(x)

    def stored(self, keys):
        if len(keys) == 24:
            keys = [[k[0], k[1], k[2], k[4]] for k in keys]
        return [b for k in keys for b in bytes_le(k)]


class Hight:
    @staticmethod
    def f0(x):
        return x.rotl(1) ^ x.rotl(2) ^ x.rotl(7)

    @staticmethod
    def f1(x):
        return x.rotl(3) ^ x.rotl(4) ^ x.rotl(6)

    def schedule(self, mk):
        wk = [mk[i + 12] if i < 4 else mk[i - 4] for i in range(8)]
        s = [0, 1, 0, 1, 1, 0, 1]
        for i in range(1, 128):
            s.append(s[i + 2] ^ s[i - 1])
        delta = [sum(s[i + b] << b for b in range(7)) for i in range(128)]
        sk = [None] * 128
        for i in range(8):
            for j in range(8):
                sk[16 * i + j] = mk[(j - i) % 8] + delta[16 * i + j]
                sk[16 * i + j + 8] = mk[(j - i) % 8 + 8] + delta[16 * i + j + 8]
        return sk, wk

    def stored(self, keys):
        return keys[0] + keys[1]

    def encrypt(self, keys, block):
        sk, wk = keys
        x = list(block)
        x[0], x[2], x[4], x[6] = x[0] + wk[0], x[2] ^ wk[1], x[4] + wk[2], x[6] ^ wk[3]
        for i in range(32):
            k = sk[4 * i : 4 * i + 4]
            y = [None] * 8
            y[1], y[3], y[5], y[7] = x[0], x[2], x[4], x[6]
            y[0] = x[7] ^ (self.f0(x[6]) + k[3])
            y[2] = x[1] + (self.f1(x[0]) ^ k[0])
            y[4] = x[3] ^ (self.f0(x[2]) + k[1])
            y[6] = x[5] + (self.f1(x[4]) ^ k[2])
            x = y
        x = x[1:] + x[:1]  # the last round leaves each byte in its place
        x[0], x[2], x[4], x[6] = x[0] + wk[4], x[2] ^ wk[5], x[4] + wk[6], x[6] ^ wk[7]
        return x

    def decrypt(self, keys, block):
        sk, wk = keys
        x = list(block)
        x[0], x[2], x[4], x[6] = x[0] - wk[4], x[2] ^ wk[5], x[4] - wk[6], x[6] ^ wk[7]
        x = x[-1:] + x[:-1]
        for i in reversed(range(32)):
            k = sk[4 * i : 4 * i + 4]
            y = [None] * 8
            y[0], y[2], y[4], y[6] = x[1], x[3], x[5], x[7]
            y[7] = x[0] ^ (self.f0(y[6]) + k[3])
            y[1] = x[2] - (self.f1(y[0]) ^ k[0])
            y[3] = x[4] ^ (self.f0(y[2]) + k[1])
            y[5] = x[6] - (self.f1(y[4]) ^ k[2])
            x = y
        x[0], x[2], x[4], x[6] = x[0] - wk[0], x[2] ^ wk[1], x[4] - wk[2], x[6] ^ wk[3]
        return x


class Cham:
    def __init__(self, bits, rounds):
        self.bits, self.rounds = bits, rounds

    def schedule(self, key):
        k = words_le(key, self.bits // 8)
        rk = [None] * (2 * len(k))
        for i, word in enumerate(k):
            rk[i] = word ^ word.rotl(1) ^ word.rotl(8)
            rk[(i + len(k)) ^ 1] = word ^ word.rotl(1) ^ word.rotl(11)
        return rk

    def stored(self, keys):
        return bytes_le(keys)

    def encrypt(self, rk, block):
        x = words_le(block, self.bits // 8)
        for i in range(self.rounds):
            a, b = (1, 8) if i % 2 == 0 else (8, 1)
            x = x[1:] + [((x[0] ^ i) + (x[1].rotl(a) ^ rk[i % len(rk)])).rotl(b)]
        return bytes_le(x)

    def decrypt(self, rk, block):
        x = words_le(block, self.bits // 8)
        for i in reversed(range(self.rounds)):
            a, b = (1, 8) if i % 2 == 0 else (8, 1)
            x = [(x[3].rotr(b) - (x[0].rotl(a) ^ rk[i % len(rk)])) ^ i] + x[:3]
        return bytes_le(x)


class Aria:
    A = (  # 2.4.3: the bytes of which each byte of the result is the sum
        (3, 4, 6, 8, 9, 13, 14), (2, 5, 7, 8, 9, 12, 15), (1, 4, 6, 10, 11, 12, 15), (0, 5, 7, 10, 11, 13, 14),
        (0, 2, 5, 8, 11, 14, 15), (1, 3, 4, 9, 10, 14, 15), (0, 2, 7, 9, 10, 12, 13), (1, 3, 6, 8, 11, 12, 13),
        (0, 1, 4, 7, 10, 13, 15), (0, 1, 5, 6, 11, 12, 14), (2, 3, 5, 6, 8, 13, 15), (2, 3, 4, 7, 9, 12, 14),
        (1, 2, 6, 7, 9, 11, 12), (0, 3, 6, 7, 8, 10, 13), (0, 3, 4, 5, 9, 11, 14), (1, 2, 4, 5, 8, 10, 15),
    )  # fmt: skip
    C = (0x517CC1B727220A94FE13ABE8FA9A6EE0, 0x6DB14ACC9E21C820FF28B1D5EF5DE2B0, 0xDB92371D2126E9700324977504E8C90E)

    def __init__(self):
        # 2.4.2: SB1 is AES's S-box, SB2 = D x^247 + 0xe2. Rows of D for bit 0 first, bit 0 of x leftmost.
        rows = ("01011110", "00111101", "11010111", "10011101", "00101100", "10000001", "01011101", "11010011")
        columns = [sum(int(row[j]) << i for i, row in enumerate(rows)) for j in range(8)]
        sb1, sb2 = aes_table(), affine_table(power_table(247, 0x11B), columns, 0xE2)
        self.sl1 = (sb1, sb2, inverse_of(sb1), inverse_of(sb2))

    def sl(self, x, kind):
        boxes = self.sl1 if kind == 1 else self.sl1[2:] + self.sl1[:2]
        return [b.look_up(boxes[i % 4]) for i, b in enumerate(x)]

    def a(self, x):
        return [total([x[i] for i in row]) for row in self.A]

    @staticmethod
    def add(x, y):
        return [a ^ b for a, b in zip(x, y)]

    def schedule(self, key):
        zero = key[0].made(0)
        kl, kr = key[:16], key[16:] + [zero] * (32 - len(key))
        first = len(key) // 8 - 2
        ck = [[zero.made(b) for b in self.C[(first + i) % 3].to_bytes(16, "big")] for i in range(3)]
        w0 = kl
        w1 = self.add(self.a(self.sl(self.add(w0, ck[0]), 1)), kr)
        w2 = self.add(self.a(self.sl(self.add(w1, ck[1]), 2)), w0)
        w3 = self.add(self.a(self.sl(self.add(w2, ck[2]), 1)), w1)
        w = [join(x[::-1]) for x in (w0, w1, w2, w3)]
        keys = []
        for turn in (-19, -31, 61, 31, 19):  # >>> 19, >>> 31, <<< 61, <<< 31, <<< 19
            for i in range(4):
                keys.append(w[i] ^ w[(i + 1) % 4].rotl(turn))
        # 2.2: ek13 = W0 ^ (W1 <<< 31) and so on: the fourth of each four turns W0.
        return [k.bytes_be() for k in keys[: {16: 13, 24: 15, 32: 17}[len(key)]]]

    def stored(self, keys):
        return [b for k in keys for b in k] + [None] * (16 * (17 - len(keys))) + [len(keys) - 1]

    def encrypt(self, keys, block):
        x = list(block)
        n = len(keys) - 1
        for i in range(1, n):
            x = self.a(self.sl(self.add(x, keys[i - 1]), 1 if i % 2 else 2))
        return self.add(self.sl(self.add(x, keys[n - 1]), 2), keys[n])

    def decrypt(self, keys, block):
        n = len(keys) - 1
        back = [keys[n]] + [self.a(keys[n - i]) for i in range(1, n)] + [keys[0]]  # 2.3.2
        return self.encrypt(back, block)


class Seed:
    # TTAS.KO-12.0004: S1 = A1 x^247 + 169, S2 = A2 x^251 + 56 modulo x^8 + x^6 + x^5 + x + 1. Rows
    # of the matrices for bit 7 first, bit 7 of x leftmost.
    A1 = ("10001010", "11111110", "10000101", "01000010", "01000101", "00100001", "10001000", "00010100")
    A2 = ("01000101", "10000101", "11111110", "00100001", "10001010", "10001000", "01000010", "00010100")

    def __init__(self):
        self.boxes = []
        for rows, power, constant in ((self.A1, 247, 169), (self.A2, 251, 56)):
            columns = [sum(int(row[7 - j]) << (7 - i) for i, row in enumerate(rows)) for j in range(8)]
            self.boxes.append(affine_table(power_table(power, 0x163), columns, constant))

    def g(self, x):
        y = [b.look_up(self.boxes[i % 2]) for i, b in enumerate(x.bytes_le())]
        m = (0xFC, 0xF3, 0xCF, 0x3F)
        return join([total([y[j] & m[(i + j) % 4] for j in range(4)]) for i in range(4)])

    def schedule(self, key):
        a, b, c, d = words_be(key, 4)
        kc = a.made(0x9E3779B9)
        out = []
        for i in range(1, 17):
            out.append((self.g(a + c - kc), self.g(b - d + kc)))
            if i % 2:
                ab = join([b, a]).rotr(8)
                b, a = ab.part(0, 32), ab.part(32, 32)
            else:
                cd = join([d, c]).rotl(8)
                d, c = cd.part(0, 32), cd.part(32, 32)
            kc = kc.rotl(1)
        return out

    def stored(self, keys):
        return [b for pair in keys for b in bytes_be(pair)]

    def f(self, key, half):
        c, d = half[0] ^ key[0], half[1] ^ key[1]
        t = self.g(c ^ d)
        u = self.g(t + c)
        v = self.g(u + t)
        return v + u, v

    def encrypt(self, keys, block):
        a, b, c, d = words_be(block, 4)
        left, right = (a, b), (c, d)
        for key in keys:
            f = self.f(key, right)
            left, right = right, (left[0] ^ f[0], left[1] ^ f[1])
        return bytes_be(right + left)

    def decrypt(self, keys, block):
        return self.encrypt(keys[::-1], block)
