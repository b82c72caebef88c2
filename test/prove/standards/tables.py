"""Tables that the standards print, and formulas of those that they define by one."""

from pathlib import Path

from .field import times


def numbers(text):
    return [int(n) for n in text.split()]


def hexadecimal(path):
    text = (Path(__file__).parent / path).read_text().splitlines()
    return [int(n, 16) for line in text if not line.startswith("#") for n in line.split()]


def split(table, size):
    return [table[i : i + size] for i in range(0, len(table), size)]


# RFC 2144, appendix A.
CAST128 = split(hexadecimal("cast128.txt"), 256)

# RFC 2268, section 2.
RC2_PI = hexadecimal("rc2.txt")


def camellia_box():
    """The specification's s1: h(g(f(0xc5 + x))) + 0x6e. Bits a1, the most significant, to a8."""

    def chosen(x, rows):
        y = 0
        for row in rows:
            y = y << 1 | sum(x >> (8 - i) & 1 for i in row) & 1
        return y

    f = ((6, 2), (7, 1), (8, 5, 3), (8, 3), (7, 4), (5, 2), (8, 1), (6, 4))
    h = ((5, 6, 2), (6, 2), (7, 4), (8, 2), (7, 3), (8, 1), (5, 1), (6, 3))
    # The basis of g: powers of alpha, and of beta: beta^8 + beta^6 + beta^5 + beta^3 + 1 = 0.
    beta, modulus = 2, 0x169
    alpha = 1
    for _ in range(238):
        alpha = times(alpha, beta, modulus)
    powers = [1]
    for _ in range(3):
        powers.append(times(powers[-1], alpha, modulus))
    basis = powers + [times(p, beta, modulus) for p in powers]  # of a8, a7, ..., a1

    def element(x):
        y = 0
        for i in range(8):
            if x >> i & 1:
                y ^= basis[i]
        return y

    from_field = {element(x): x for x in range(256)}
    inverse = {0: 0}
    for a in range(1, 256):
        b = a
        for _ in range(6):  # a^254 = a^(2 + 4 + ... + 128)
            b = times(times(b, b, modulus), a, modulus)
        inverse[a] = times(b, b, modulus)
    return [chosen(from_field[inverse[element(chosen(x ^ 0xC5, f))]], h) ^ 0x6E for x in range(256)]


CAMELLIA = camellia_box()


def pi_words(count):
    """Words of 32 bits of pi's fraction, by Machin's formula."""
    bits = 32 * count + 64
    one = 1 << bits

    def arctan(n):
        term = total = one // n
        k, sign = 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total

    fraction = 4 * (4 * arctan(5) - arctan(239)) - 3 * one >> 64
    return [fraction >> (32 * (count - 1 - i)) & 0xFFFFFFFF for i in range(count)]


# FIPS 46-3. Bits are counted from 1, the most significant.
DES_IP = [first - 8 * i for first in (58, 60, 62, 64, 57, 59, 61, 63) for i in range(8)]
DES_E = [(4 * i + j - 1) % 32 + 1 for i in range(8) for j in range(6)]
DES_P = numbers("""
    16 7 20 21 29 12 28 17 1 15 23 26 5 18 31 10
    2 8 24 14 32 27 3 9 19 13 30 6 22 11 4 25""")
DES_PC1 = numbers("""
    57 49 41 33 25 17 9 1 58 50 42 34 26 18
    10 2 59 51 43 35 27 19 11 3 60 52 44 36
    63 55 47 39 31 23 15 7 62 54 46 38 30 22
    14 6 61 53 45 37 29 21 13 5 28 20 12 4""")
DES_PC2 = numbers("""
    14 17 11 24 1 5 3 28 15 6 21 10
    23 19 12 4 26 8 16 7 27 20 13 2
    41 52 31 37 47 55 30 40 51 45 33 48
    44 49 39 56 34 53 46 42 50 36 29 32""")
DES_S = split(
    numbers("""
    14 4 13 1 2 15 11 8 3 10 6 12 5 9 0 7
    0 15 7 4 14 2 13 1 10 6 12 11 9 5 3 8
    4 1 14 8 13 6 2 11 15 12 9 7 3 10 5 0
    15 12 8 2 4 9 1 7 5 11 3 14 10 0 6 13

    15 1 8 14 6 11 3 4 9 7 2 13 12 0 5 10
    3 13 4 7 15 2 8 14 12 0 1 10 6 9 11 5
    0 14 7 11 10 4 13 1 5 8 12 6 9 3 2 15
    13 8 10 1 3 15 4 2 11 6 7 12 0 5 14 9

    10 0 9 14 6 3 15 5 1 13 12 7 11 4 2 8
    13 7 0 9 3 4 6 10 2 8 5 14 12 11 15 1
    13 6 4 9 8 15 3 0 11 1 2 12 5 10 14 7
    1 10 13 0 6 9 8 7 4 15 14 3 11 5 2 12

    7 13 14 3 0 6 9 10 1 2 8 5 11 12 4 15
    13 8 11 5 6 15 0 3 4 7 2 12 1 10 14 9
    10 6 9 0 12 11 7 13 15 1 3 14 5 2 8 4
    3 15 0 6 10 1 13 8 9 4 5 11 12 7 2 14

    2 12 4 1 7 10 11 6 8 5 3 15 13 0 14 9
    14 11 2 12 4 7 13 1 5 0 15 10 3 9 8 6
    4 2 1 11 10 13 7 8 15 9 12 5 6 3 0 14
    11 8 12 7 1 14 2 13 6 15 0 9 10 4 5 3

    12 1 10 15 9 2 6 8 0 13 3 4 14 7 5 11
    10 15 4 2 7 12 9 5 6 1 13 14 0 11 3 8
    9 14 15 5 2 8 12 3 7 0 4 10 1 13 11 6
    4 3 2 12 9 5 15 10 11 14 1 7 6 0 8 13

    4 11 2 14 15 0 8 13 3 12 9 7 5 10 6 1
    13 0 11 7 4 9 1 10 14 3 5 12 2 15 8 6
    1 4 11 13 12 3 7 14 10 15 6 8 0 5 9 2
    6 11 13 8 1 4 10 7 9 5 0 15 14 2 3 12

    13 2 8 4 6 15 11 1 10 9 3 14 5 0 12 7
    1 15 13 8 10 3 7 4 12 5 6 11 0 14 9 2
    7 11 4 1 9 12 14 2 0 6 10 13 15 3 5 8
    2 1 14 7 4 10 8 13 15 12 9 0 3 5 6 11"""),
    64,
)

# The Skein Hash Function Family, version 1.3, tables 3 and 4.
THREEFISH_PI = {
    4: numbers("0 3 2 1"),
    8: numbers("2 1 4 7 6 5 0 3"),
    16: numbers("0 9 2 13 6 11 4 15 10 7 12 3 14 5 8 1"),
}
THREEFISH_R = {
    4: split(numbers("14 16 52 57 23 40 5 37 25 33 46 12 58 22 32 32"), 2),
    8: split(
        numbers("""
        46 36 19 37 33 27 14 42 17 49 36 39 44 9 54 56
        39 30 34 24 13 50 10 17 25 29 39 43 8 35 56 22"""),
        4,
    ),
    16: split(
        numbers("""
        24 13 8 47 8 17 22 37 38 19 10 55 49 18 23 52
        33 4 51 13 34 41 59 17 5 20 48 41 47 28 16 25
        41 9 37 31 12 47 44 30 16 34 56 51 4 53 42 41
        31 44 47 46 19 42 44 25 9 48 35 52 23 31 37 20"""),
        8,
    ),
}
