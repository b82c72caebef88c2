"""Words for the standards' formulas: + - ^ & | ~ modulo 2^width, rotations, look-ups.

A word lies on a graph (graph.py); where every bit is known it is a number.
"""

from functools import reduce


class Word:
    __slots__ = ("g", "width", "v")

    def __init__(self, g, width, v):
        self.g, self.width, self.v = g, width, v

    def made(self, v):
        return Word(self.g, self.width, v)

    def other(self, b):
        return b.v if isinstance(b, Word) else b & ((1 << self.width) - 1)

    def __add__(self, b):
        return self.made(self.g.sum(self.width, self.v, self.other(b)))

    def __sub__(self, b):
        return self.made(self.g.difference(self.width, self.v, self.other(b)))

    def __neg__(self):
        return self.made(self.g.difference(self.width, 0, self.v))

    def __xor__(self, b):
        return self.made(self.g.xor(self.width, self.v, self.other(b)))

    def __and__(self, b):
        return self.made(self.g.both(self.width, self.v, self.other(b)))

    def __or__(self, b):
        return self.made(self.g.either(self.width, self.v, self.other(b)))

    def __invert__(self):
        return self.made(self.g.inverted(self.width, self.v))

    def __lshift__(self, k):
        return self.made(self.g.left_by(self.width, self.v, k))

    def __rshift__(self, k):
        return self.made(self.g.right_by(self.width, self.v, k))

    def rotl(self, k):
        k %= self.width
        bits = self.bits()
        return join(bits[self.width - k :] + bits[: self.width - k]) if k else self

    def rotr(self, k):
        return self.rotl(self.width - k % self.width)

    def rotl_by(self, by):
        """By a word: x << n | x >> (width - n) mod width."""
        w, back = self.width, -by
        n = w.bit_length() - 1
        left = right = self
        for i in range(n):
            left = select(by.bit(i), left << (1 << i), left)
            right = select(back.bit(i), right >> (1 << i), right)
        return left | right

    def bits(self):
        """One word of one bit each, the least significant first."""
        return [Word(self.g, 1, self.g.known([b])) for b in self.g.bits(self.width, self.v)]

    def bit(self, i):
        return self.part(i, 1)

    def part(self, at, width):
        return Word(self.g, width, self.g.known(self.g.bits(self.width, self.v)[at : at + width]))

    def bytes_le(self):
        return [self.part(i, 8) for i in range(0, self.width, 8)]

    def bytes_be(self):
        return self.bytes_le()[::-1]

    def look_up(self, table, width=8):
        """table[x] of a table of 2^width(x) numbers."""
        return Word(self.g, width, self.g.look_up(width, table, self.v))


def select(bit, yes, no):
    lit = yes.g.bits(1, bit.v)[0]
    return yes.made(yes.g.mux(yes.width, lit, yes.v, no.v))


def join(parts):
    """One word of words, the first the least significant."""
    g, out = parts[0].g, []
    for part in parts:
        out += g.bits(part.width, part.v)
    return Word(g, len(out), g.known(out))


def words_le(data, size):
    return [join(data[i : i + size]) for i in range(0, len(data), size)]


def words_be(data, size):
    return [join(data[i : i + size][::-1]) for i in range(0, len(data), size)]


def bytes_le(words):
    return [b for w in words for b in w.bytes_le()]


def bytes_be(words):
    return [b for w in words for b in w.bytes_be()]


def total(words):
    return reduce(lambda a, b: a ^ b, words)
