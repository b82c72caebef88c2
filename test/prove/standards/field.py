"""Fields of 256 elements, for the standards that define an S-box by a formula. Numbers only."""


def times(a, b, modulus):
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
        if a & 256:
            a ^= modulus
    return product


def power_table(n, modulus):
    out = []
    for x in range(256):
        y = 1
        for _ in range(n):
            y = times(y, x, modulus)
        out.append(y)
    return out


def affine_table(table, columns, constant):
    """M table[x] + constant, where columns[j] is what M makes of bit j."""
    out = []
    for x in table:
        y = constant
        for j in range(8):
            if x >> j & 1:
                y ^= columns[j]
        out.append(y)
    return out


def aes_table():
    """FIPS 197 5.1.1: bit i of the result is the sum of bits i, i + 4, ..., i + 7 of 1 / x, and of 0x63."""
    columns = [(0x1F << j | 0x1F >> (8 - j)) & 255 for j in range(8)]
    return affine_table(power_table(254, 0x11B), columns, 0x63)


def inverse_of(table):
    return [table.index(y) for y in range(256)]
