"""AES (FIPS 197), Camellia (RFC 3713), DES and Triple DES (FIPS 46-3, SP 800-67), IDEA (Lai 1992)
and Threefish (Skein 1.3), written from the documents."""

from . import tables
from .field import aes_table, inverse_of
from .word import bytes_be, bytes_le, join, select, total, words_be, words_le


class Aes:
    S = aes_table()
    INVERSE = inverse_of(S)

    @staticmethod
    def xtimes(b):
        return (b << 1) ^ select(b.bit(7), b.made(0x1B), b.made(0))

    def times(self, n, b):
        out = b.made(0)
        while n:
            if n & 1:
                out = out ^ b
            b, n = self.xtimes(b), n >> 1
        return out

    def schedule(self, key):
        nk = len(key) // 4
        w = [key[i : i + 4] for i in range(0, len(key), 4)]
        rcon = 1
        for i in range(nk, 4 * (nk + 7)):
            t = w[i - 1]
            if i % nk == 0:
                t = [b.look_up(self.S) for b in t[1:] + t[:1]]
                t[0] = t[0] ^ rcon
                rcon = rcon << 1 ^ (0x11B if rcon & 128 else 0)
            elif nk > 6 and i % nk == 4:
                t = [b.look_up(self.S) for b in t]
            w.append([a ^ b for a, b in zip(w[i - nk], t)])
        return [sum(w[i : i + 4], []) for i in range(0, len(w), 4)]

    def stored(self, keys):
        return [b for k in keys for b in k] + [None] * (16 * (15 - len(keys))) + [len(keys) - 1]

    @staticmethod
    def add(x, k):
        return [a ^ b for a, b in zip(x, k)]

    def mix(self, x, row):
        out = []
        for c in range(0, 16, 4):
            out += [total([self.times(row[(j - r) % 4], x[c + j]) for j in range(4)]) for r in range(4)]
        return out

    def encrypt(self, keys, block):
        x = self.add(block, keys[0])
        for i, k in enumerate(keys[1:], 1):
            x = [b.look_up(self.S) for b in x]
            x = [x[(i + 4 * (i % 4)) % 16] for i in range(16)]
            if i < len(keys) - 1:
                x = self.mix(x, (2, 3, 1, 1))
            x = self.add(x, k)
        return x

    def decrypt(self, keys, block):
        x = self.add(block, keys[-1])
        for i in reversed(range(len(keys) - 1)):
            x = [x[(i - 4 * (i % 4)) % 16] for i in range(16)]
            x = self.add([b.look_up(self.INVERSE) for b in x], keys[i])
            if i:
                x = self.mix(x, (14, 11, 13, 9))
        return x


class Camellia:
    SIGMA = (
        0xA09E667F3BCC908B, 0xB67AE8584CAA73B2, 0xC6EF372FE94F82BE,
        0x54FF53A5F1D36F1C, 0x10E527FADE682D1D, 0xB05688C2B3E6C1FD,
    )  # fmt: skip

    def __init__(self):
        s1 = tables.CAMELLIA
        s2 = [(x << 1 | x >> 7) & 255 for x in s1]
        s3 = [(x << 7 | x >> 1) & 255 for x in s1]
        s4 = [s1[(x << 1 | x >> 7) & 255] for x in range(256)]
        self.boxes = (s1, s2, s3, s4, s2, s3, s4, s1)

    def f(self, x, k):
        t = [b.look_up(box) for b, box in zip((x ^ k).bytes_be(), self.boxes)]
        sums = ((1, 3, 4, 6, 7, 8), (1, 2, 4, 5, 7, 8), (1, 2, 3, 5, 6, 8), (2, 3, 4, 5, 6, 7),
                (1, 2, 6, 7, 8), (2, 3, 5, 7, 8), (3, 4, 5, 6, 8), (1, 4, 5, 6, 7))  # fmt: skip
        return join([total([t[i - 1] for i in s]) for s in sums][::-1])

    @staticmethod
    def fl(x, k):
        x1, x2, k1, k2 = x.part(32, 32), x.part(0, 32), k.part(32, 32), k.part(0, 32)
        x2 = x2 ^ (x1 & k1).rotl(1)
        x1 = x1 ^ (x2 | k2)
        return join([x2, x1])

    @staticmethod
    def flinv(y, k):
        y1, y2, k1, k2 = y.part(32, 32), y.part(0, 32), k.part(32, 32), k.part(0, 32)
        y1 = y1 ^ (y2 | k2)
        y2 = y2 ^ (y1 & k1).rotl(1)
        return join([y2, y1])

    def schedule(self, key):
        k = words_be(key, 8)
        zero = k[0].made(0)
        kl = join([k[1], k[0]])
        if len(k) == 2:
            kr = join([zero, zero])
        elif len(k) == 3:
            kr = join([~k[2], k[2]])
        else:
            kr = join([k[3], k[2]])

        def two(x, n):
            d1, d2 = x.part(64, 64), x.part(0, 64)
            d2 = d2 ^ self.f(d1, zero ^ self.SIGMA[n])
            d1 = d1 ^ self.f(d2, zero ^ self.SIGMA[n + 1])
            return join([d2, d1])

        ka = two(two(kl ^ kr, 0) ^ kl, 2)
        kb = two(ka ^ kr, 4)

        def high(x, n):
            return x.rotl(n).part(64, 64)

        def low(x, n):
            return x.rotl(n).part(0, 64)

        def pair(x, n):
            return [high(x, n), low(x, n)]

        if len(k) == 2:
            kw = pair(kl, 0) + pair(ka, 111)
            rounds = pair(ka, 0) + pair(kl, 15) + pair(ka, 15) + pair(kl, 45)
            rounds += [high(ka, 45), low(kl, 60)] + pair(ka, 60) + pair(kl, 94) + pair(ka, 94) + pair(kl, 111)
            ke = pair(ka, 30) + pair(kl, 77)
        else:
            kw = pair(kl, 0) + pair(kb, 111)
            rounds = pair(kb, 0) + pair(kr, 15) + pair(ka, 15) + pair(kb, 30) + pair(kl, 45) + pair(ka, 45)
            rounds += pair(kr, 60) + pair(kb, 60) + pair(kl, 77) + pair(kr, 94) + pair(ka, 94) + pair(kl, 111)
            ke = pair(kr, 30) + pair(kl, 60) + pair(ka, 77)
        return kw, rounds, ke

    def stored(self, keys):
        kw, rounds, ke = keys
        out = kw[:2]
        for i in range(0, len(rounds), 6):
            out += rounds[i : i + 6]
            out += ke[i // 3 : i // 3 + 2] if i + 6 < len(rounds) else kw[2:]
        data = bytes_be(out)
        return data + [None] * (272 - len(data)) + [len(rounds)]

    def encrypt(self, keys, block):
        kw, k, ke = keys
        d1, d2 = words_be(block, 8)
        d1, d2 = d1 ^ kw[0], d2 ^ kw[1]
        for i in range(0, len(k), 2):
            if i and i % 6 == 0:
                d1, d2 = self.fl(d1, ke[i // 3 - 2]), self.flinv(d2, ke[i // 3 - 1])
            d2 = d2 ^ self.f(d1, k[i])
            d1 = d1 ^ self.f(d2, k[i + 1])
        return bytes_be([d2 ^ kw[2], d1 ^ kw[3]])

    def decrypt(self, keys, block):
        kw, k, ke = keys
        return self.encrypt((kw[2:] + kw[:2], k[::-1], ke[::-1]), block)


class Des:
    def __init__(self, passes):
        self.passes = passes

    @staticmethod
    def permuted(bits, table):
        return [bits[i - 1] for i in table]

    @staticmethod
    def bits_of(data):
        """Bit 1 of the standard first."""
        return [bit for b in data for bit in b.bits()[::-1]]

    def one(self, key):
        cd = self.permuted(self.bits_of(key), tables.DES_PC1)
        c, d = cd[:28], cd[28:]
        out = []
        for i in range(1, 17):
            n = 1 if i in (1, 2, 9, 16) else 2
            c, d = c[n:] + c[:n], d[n:] + d[:n]
            out.append(self.permuted(c + d, tables.DES_PC2))
        return out

    def schedule(self, key):
        keys = [self.one(key[i : i + 8]) for i in range(0, len(key), 8)]
        return keys + keys[:1] if len(keys) == 2 else keys  # keying option 2 of SP 800-67

    def stored(self, keys):
        """A byte of equal bits for each bit, in the order of use in encryption."""
        rounds = []
        for n, one in enumerate(keys):
            rounds += one[::-1] if n == 1 else one
        return [join([bit] * 8) for k in rounds for bit in k]

    def f(self, r, k):
        e = [a ^ b for a, b in zip(self.permuted(r, tables.DES_E), k)]
        out = []
        for i, table in enumerate(tables.DES_S):
            b = e[6 * i : 6 * i + 6]
            index = join([b[4], b[3], b[2], b[1], b[5], b[0]])  # row: the outer bits
            out += index.look_up(table, 4).bits()[::-1]
        return self.permuted(out, tables.DES_P)

    def run(self, keys, block):
        x = self.permuted(self.bits_of(block), tables.DES_IP)
        left, right = x[:32], x[32:]
        for k in keys:
            left, right = right, [a ^ b for a, b in zip(left, self.f(right, k))]
        out = [None] * 64
        for i, bit in zip(tables.DES_IP, right + left):
            out[i - 1] = bit
        return [join(out[i : i + 8][::-1]) for i in range(0, 64, 8)]

    def encrypt(self, keys, block):
        for n, k in enumerate(keys):
            block = self.run(k[::-1] if n == 1 else k, block)
        return block

    def decrypt(self, keys, block):
        for n, k in reversed(list(enumerate(keys))):
            block = self.run(k if n == 1 else k[::-1], block)
        return block


class Idea:
    def product(self, x, y):
        """x y modulo 2^16 + 1, where 0 stands for 2^16: left open where a factor is not known."""
        g = x.g
        if isinstance(x.v, int) and isinstance(y.v, int):
            return x.made((x.v or 65536) * (y.v or 65536) % 65537 & 65535)
        return x.made(g.function("product", (x.v, y.v), 16))

    def inverse(self, x):
        if isinstance(x.v, int):
            return x.made(pow(x.v or 65536, 65535, 65537) & 65535)
        return x.made(x.g.function("inverse", (x.v,), 16))

    def schedule(self, key):
        whole, z = join(key[::-1]), []
        while len(z) < 52:
            z += [whole.part(112 - 16 * i, 16) for i in range(8)]
            whole = whole.rotl(25)
        z = [z[6 * i : 6 * i + 6] for i in range(8)] + [z[48:52]]
        back = []
        for r in range(9):
            k = z[8 - r]
            middle = [-k[1], -k[2]] if r in (0, 8) else [-k[2], -k[1]]
            back.append([self.inverse(k[0])] + middle + [self.inverse(k[3])])
            if r < 8:
                back[r] += z[7 - r][4:]
        return z, back

    def stored(self, keys):
        return [b for z in keys for k in z for b in bytes_le(k)]

    def run(self, z, block):
        x1, x2, x3, x4 = words_be(block, 2)
        for k in z[:8]:
            a, b, c, d = self.product(x1, k[0]), x2 + k[1], x3 + k[2], self.product(x4, k[3])
            s = self.product(a ^ c, k[4])
            t = self.product(s + (b ^ d), k[5])
            u = s + t
            x1, x2, x3, x4 = a ^ t, c ^ t, b ^ u, d ^ u
        k = z[8]
        return bytes_be([self.product(x1, k[0]), x3 + k[1], x2 + k[2], self.product(x4, k[3])])

    def encrypt(self, keys, block):
        return self.run(keys[0], block)

    def decrypt(self, keys, block):
        return self.run(keys[1], block)


class Threefish:
    def __init__(self, words):
        self.words = words
        self.rounds = 80 if words == 16 else 72
        self.pi = tables.THREEFISH_PI[words]
        self.turns = tables.THREEFISH_R[words]

    def schedule(self, key, tweak=None):
        k = words_le(key, 8)
        zero = k[0].made(0)
        k.append(total(k) ^ 0x1BD11BDAA9FC1A22)
        t = words_le(tweak, 8) if tweak else [zero, zero]
        t.append(t[0] ^ t[1])
        n, out = self.words, []
        for s in range(self.rounds // 4 + 1):
            sub = [k[(s + i) % (n + 1)] for i in range(n)]
            sub[n - 3] = sub[n - 3] + t[s % 3]
            sub[n - 2] = sub[n - 2] + t[(s + 1) % 3]
            sub[n - 1] = sub[n - 1] + s
            out.append(sub)
        return out, t[:2]

    def stored(self, keys):
        return [b for k in keys[0] for b in bytes_le(k)] + bytes_le(keys[1])

    def encrypt(self, keys, block):
        v = words_le(block, 8)
        for d in range(self.rounds):
            if d % 4 == 0:
                v = [a + b for a, b in zip(v, keys[0][d // 4])]
            f = []
            for j in range(self.words // 2):
                y = v[2 * j] + v[2 * j + 1]
                f += [y, v[2 * j + 1].rotl(self.turns[d % 8][j]) ^ y]
            v = [f[i] for i in self.pi]
        return bytes_le([a + b for a, b in zip(v, keys[0][-1])])

    def decrypt(self, keys, block):
        v = [a - b for a, b in zip(words_le(block, 8), keys[0][-1])]
        for d in reversed(range(self.rounds)):
            f = [None] * self.words
            for i, source in enumerate(self.pi):
                f[source] = v[i]
            v = []
            for j in range(self.words // 2):
                b = (f[2 * j + 1] ^ f[2 * j]).rotr(self.turns[d % 8][j])
                v += [f[2 * j] - b, b]
            if d % 4 == 0:
                v = [a - b for a, b in zip(v, keys[0][d // 4])]
        return bytes_le(v)
