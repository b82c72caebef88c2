"""CAST-128 (RFC 2144), Blowfish (Schneier 1993) and RC2 (RFC 2268), written from the documents. Their tables of 32
bits are uninterpreted functions where an index is not known: see look()."""

from . import tables
from .word import Word, bytes_be, bytes_le, join, select, words_be, words_le


def look(table, byte):
    """table[byte]. The function of a table is the same wherever the table's entries are."""
    g = byte.g
    entries = [e.v if isinstance(e, Word) else e for e in table]
    if isinstance(byte.v, int):
        return Word(g, 32, entries[byte.v])
    return Word(g, 32, g.function("table", (tuple(entries), byte.v), 32))


class Cast128:
    S = tables.CAST128

    # 2.4: which bytes go through S5, S6, S7, S8 and through the fifth box, which is S5 to S8 in turn.
    Z = (
        ("x0x1x2x3", "xD xF xC xE x8", 7), ("x8x9xAxB", "z0 z2 z1 z3 xA", 8),
        ("xCxDxExF", "z7 z6 z5 z4 x9", 5), ("x4x5x6x7", "zA z9 zB z8 xB", 6),
    )  # fmt: skip
    X = (
        ("z8z9zAzB", "z5 z7 z4 z6 z0", 7), ("z0z1z2z3", "x0 x2 x1 x3 z2", 8),
        ("z4z5z6z7", "x7 x6 x5 x4 z1", 5), ("zCzDzEzF", "xA x9 xB x8 z3", 6),
    )  # fmt: skip
    K = (
        ("z8 z9 z7 z6 z2", "zA zB z5 z4 z6", "zC zD z3 z2 z9", "zE zF z1 z0 zC"),
        ("x3 x2 xC xD x8", "x1 x0 xE xF xD", "x7 x6 x8 x9 x3", "x5 x4 xA xB x7"),
        ("z3 z2 zC zD z9", "z1 z0 zE zF zC", "z7 z6 z8 z9 z2", "z5 z4 zA zB z6"),
        ("x8 x9 x7 x6 x3", "xA xB x5 x4 x7", "xC xD x3 x2 x8", "xE xF x1 x0 xD"),
    )

    def schedule(self, key):
        state = {"x": list(key) + [key[0].made(0)] * (16 - len(key)), "z": [None] * 16}

        def byte(name):
            return state[name[0]][int(name[1], 16)]

        def sums(names, fifth):
            a, b, c, d, e = (byte(n) for n in names.split())
            s = self.S
            return look(s[4], a) ^ look(s[5], b) ^ look(s[6], c) ^ look(s[7], d) ^ look(s[fifth - 1], e)

        def turn(to, rows):
            for i, (word, names, fifth) in enumerate(rows):
                old = join([byte(word[j : j + 2]) for j in (6, 4, 2, 0)])
                state[to][4 * i : 4 * i + 4] = (old ^ sums(names, fifth)).bytes_be()

        k = []
        for _ in range(2):
            for n, rows in enumerate((self.Z, self.X) * 2):
                turn("zx"[n % 2], rows)
                k += [sums(names, 5 + i) for i, names in enumerate(self.K[n])]
        rounds = 12 if len(key) <= 10 else 16
        return k[:16], [word & 31 for word in k[16:]], rounds

    def stored(self, keys):
        return bytes_le(keys[0] + keys[1]) + [keys[2], 0, 0, 0]

    def f(self, kind, d, km, kr):
        i = (km + d if kind == 1 else km ^ d if kind == 2 else km - d).rotl_by(kr.part(0, 5))
        a, b, c, d = (look(s, byte) for s, byte in zip(self.S, i.bytes_be()))
        return ((a ^ b) - c) + d if kind == 1 else ((a - b) + c) ^ d if kind == 2 else ((a + b) ^ c) - d

    def run(self, keys, block, order):
        left, right = words_be(block, 4)
        for i in order:
            left, right = right, left ^ self.f(i % 3 + 1, right, keys[0][i], keys[1][i])
        return bytes_be([right, left])

    def encrypt(self, keys, block):
        return self.run(keys, block, range(keys[2]))

    def decrypt(self, keys, block):
        return self.run(keys, block, reversed(range(keys[2])))


class Blowfish:
    PI = tables.pi_words(18 + 4 * 256)

    def schedule(self, key):
        """The uninterpreted function "blowfish" is encryption with these P and S."""
        g = key[0].g
        words = [Word(g, 32, n) for n in self.PI]
        for i in range(18):
            data = join([key[(4 * i + j) % len(key)] for j in (3, 2, 1, 0)])
            words[i] = words[i] ^ data
        left = right = Word(g, 32, 0)
        for i in range(0, len(words), 2):
            left, right = self.one(words, left, right)
            words[i], words[i + 1] = left, right
        return words

    def one(self, words, left, right):
        if all(isinstance(w.v, int) for w in words):
            a, b = words_be(self.encrypt(words, bytes_be([left, right])), 4)
            return a, b
        both = left.g.function("blowfish", (tuple(w.v for w in words), left.v, right.v), 64)
        return Word(left.g, 32, both[:32]), Word(left.g, 32, both[32:])

    def stored(self, words):
        return bytes_le(words)

    def run(self, words, block, order):
        left, right = words_be(block, 4)
        s = [words[18 + 256 * i : 274 + 256 * i] for i in range(4)]
        for i in order[:16]:
            left = left ^ words[i]
            a, b, c, d = (look(box, byte) for box, byte in zip(s, left.bytes_be()))
            right = right ^ (((a + b) ^ c) + d)
            left, right = right, left
        left, right = right, left
        return bytes_be([left ^ words[order[17]], right ^ words[order[16]]])

    def encrypt(self, words, block):
        return self.run(words, block, range(18))

    def decrypt(self, words, block):
        return self.run(words, block, range(17, -1, -1))


class Rc2:
    """bits: the effective key bits T1."""

    ROTATIONS = (1, 2, 3, 5)

    def __init__(self, bits):
        self.bits = bits

    def schedule(self, key):
        t8 = (self.bits + 7) // 8
        tm = 255 % 2 ** (8 + self.bits - 8 * t8)
        row = list(key)
        for i in range(len(key), 128):
            row.append((row[i - 1] + row[i - len(key)]).look_up(tables.RC2_PI, 8))
        row[128 - t8] = (row[128 - t8] & tm).look_up(tables.RC2_PI, 8)
        for i in range(127 - t8, -1, -1):
            row[i] = (row[i + 1] ^ row[i + t8]).look_up(tables.RC2_PI, 8)
        return [join(row[i : i + 2]) for i in range(0, 128, 2)]

    def stored(self, keys):
        """After the key: for each eighth of it, and each of three bits of its number, all ones where the bit is 0."""
        selectors = [keys[0].made(0 if i >> b & 1 else 0xFFFF) for i in range(8) for b in range(3)]
        return bytes_le(keys + selectors)

    def key_word(self, keys, word):
        """K[word & 63]."""
        entries = keys
        for bit in word.bits()[:6]:
            entries = [select(bit, b, a) for a, b in zip(entries[::2], entries[1::2])]
        return entries[0]

    def encrypt(self, keys, block):
        r = words_le(block, 2)
        j = 0
        for rounds in (5, 6, 5):
            if j:
                for i in range(4):
                    r[i] = r[i] + self.key_word(keys, r[i - 1])
            for _ in range(rounds):
                for i, s in enumerate(self.ROTATIONS):
                    r[i] = (r[i] + keys[j] + (r[i - 1] & r[i - 2]) + (~r[i - 1] & r[i - 3])).rotl(s)
                    j += 1
        return bytes_le(r)

    def decrypt(self, keys, block):
        r = words_le(block, 2)
        j = 63
        for rounds in (5, 6, 5):
            if j != 63:
                for i in (3, 2, 1, 0):
                    r[i] = r[i] - self.key_word(keys, r[i - 1])
            for _ in range(rounds):
                for i in (3, 2, 1, 0):
                    r[i] = r[i].rotr(self.ROTATIONS[i]) - keys[j] - (r[i - 1] & r[i - 2]) - (~r[i - 1] & r[i - 3])
                    j -= 1
        return bytes_le(r)
