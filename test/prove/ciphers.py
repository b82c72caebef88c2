"""The ciphers that are proved: NAME of subject.cpp, and its standard's model."""

from dataclasses import dataclass

from standards import korean, openpgp, others


@dataclass
class Cipher:
    name: str
    model: object
    block: int
    sizes: tuple  # of keys, in bytes
    tweak: bool = False
    ranged: bool = False

    def key_sizes(self, most):
        """The longest, the shortest, and then what lies between."""
        return (self.sizes[-1:] + self.sizes[:-1])[:most]


CIPHERS = [
    Cipher("lea128", korean.Lea(), 16, (16,)),
    Cipher("lea192", korean.Lea(), 16, (24,)),
    Cipher("lea256", korean.Lea(), 16, (32,)),
    Cipher("hight", korean.Hight(), 8, (16,)),
    Cipher("cham64_128", korean.Cham(16, 88), 8, (16,)),
    Cipher("cham128_128", korean.Cham(32, 112), 16, (16,)),
    Cipher("cham128_256", korean.Cham(32, 120), 16, (32,)),
    Cipher("aria128", korean.Aria(), 16, (16,)),
    Cipher("aria192", korean.Aria(), 16, (24,)),
    Cipher("aria256", korean.Aria(), 16, (32,)),
    Cipher("seed", korean.Seed(), 16, (16,)),
    Cipher("camellia128", others.Camellia(), 16, (16,)),
    Cipher("camellia192", others.Camellia(), 16, (24,)),
    Cipher("camellia256", others.Camellia(), 16, (32,)),
    Cipher("aes128", others.Aes(), 16, (16,)),
    Cipher("aes192", others.Aes(), 16, (24,)),
    Cipher("aes256", others.Aes(), 16, (32,)),
    Cipher("des", others.Des(1), 8, (8,)),
    Cipher("des_ede3", others.Des(3), 8, (24,)),
    Cipher("idea", others.Idea(), 8, (16,)),
    Cipher("threefish256", others.Threefish(4), 32, (32,), tweak=True),
    Cipher("threefish512", others.Threefish(8), 64, (64,), tweak=True),
    Cipher("threefish1024", others.Threefish(16), 128, (128,), tweak=True),
    Cipher("cast5", openpgp.Cast128(), 8, tuple(range(5, 17)), ranged=True),
    Cipher("bf", openpgp.Blowfish(), 8, tuple(range(4, 57)), ranged=True),
]
