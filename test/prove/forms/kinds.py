"""Bits of which only the kinds are known: which products of inputs a bit may be a sum of.

A bit is 0, 1, or a set of kinds. A kind is a sorted tuple of the names of inputs: ("H", "X") stands
for any products of a bit of H and a bit of X, () for the constant 1. The bit is a sum, modulo 2, of
such products. What the code does otherwise with a bit, such as a carry, has the kind LOST.
"""

LOST = ("?",)
UNIT = frozenset({()})
SUMS, PRODUCTS = {}, {}


def plus(a, b):
    if isinstance(a, int):
        if isinstance(b, int):
            return a ^ b
        a, b = b, a
    if isinstance(b, int):
        return a | UNIT if b else a
    if a is b:
        return a
    made = SUMS.get((a, b))
    if made is None:
        made = SUMS[a, b] = a | b
    return made


def times(a, b):
    if isinstance(a, int):
        return b if a else 0
    if isinstance(b, int):
        return a if b else 0
    made = PRODUCTS.get((a, b))
    if made is None:
        made = frozenset(LOST if LOST in (x, y) else tuple(sorted(x + y)) for x in a for y in b)
        PRODUCTS[a, b] = made
    return made


def either(a, b):
    if a == 0 or b == 0:
        return plus(a, b)
    if a == 1 or b == 1:
        return 1
    return plus(plus(a, b), times(a, b))


def all_kinds(bits):
    made = 0
    for bit in set(bits):
        made = plus(made, frozenset({()})) if isinstance(bit, int) and bit else made if bit == 0 else plus(made, bit)
    return made


def number(bits):
    """The known number that the bits are, or None."""
    made = 0
    for i, bit in enumerate(bits):
        if not isinstance(bit, int):
            return None
        made |= bit << i
    return made


def bits_of(x, n):
    return [x >> i & 1 for i in range(n)] if isinstance(x, int) else x


def narrow(bits):
    """A known number where there is one: integer registers."""
    x = number(bits)
    return bits if x is None else x


CARRIES = {}


def carries(a, b):
    """For each of the 128 places: 0 if no ones can meet there, 2 if a carry can arrive, else 1."""
    made = CARRIES.get((a, b))
    if made is None:
        most = [0] * 128
        for i in (i for i in range(64) if a >> i & 1):
            for j in (j for j in range(64) if b >> j & 1):
                most[i + j] += 1
        carry, made = 0, []
        for n in range(128):
            made.append(2 if carry else 1 if most[n] else 0)
            carry = (most[n] + carry) // 2
        CARRIES[a, b] = made
    return made


def integer_product(a, b):
    """The 128 bits of the product of two whole numbers of 64 bits: where no carry can arrive, a bit is the sum
    modulo 2 of the ones that meet there."""
    x, y = number(a), number(b)
    if x is not None and y is not None:
        return bits_of(x * y, 128)
    places = [sum(1 << i for i, bit in enumerate(bits) if bit != 0) for bits in (a, b)]
    bit = (0, times(all_kinds(a), all_kinds(b)), frozenset({LOST}))
    return [bit[c] for c in carries(*places)]


def carryless_product(a, b):
    x, y = number(a), number(b)
    if x is not None and y is not None:
        made = 0
        for i in range(64):
            made ^= (x << i) * (y >> i & 1)
        return bits_of(made, 128)
    return [times(all_kinds(a), all_kinds(b))] * 127 + [0]
