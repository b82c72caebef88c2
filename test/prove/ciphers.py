"""The ciphers that are proved: NAME of subject.cpp, and its standard's model."""

from dataclasses import dataclass

from standards import korean, openpgp, others

ENCRYPT = ("encrypt",)
BOTH = ("encrypt", "decrypt")


@dataclass
class Cipher:
    name: str
    model: object
    block: int
    sizes: tuple  # of keys, in bytes
    tweak: bool = False
    ranged: bool = False
    forms: tuple = ()  # NAMEs of subject.cpp for the same rounds, and the directions that they have

    def key_sizes(self, most):
        """The longest, the shortest, and then what lies between."""
        return (self.sizes[-1:] + self.sizes[:-1])[:most]


ARIA_FORMS = (("aria_parts", ENCRYPT), ("aria_periods", ENCRYPT))

CIPHERS = [
    Cipher("lea128", korean.Lea(), 16, (16,), forms=(("lea128_parts", ENCRYPT),)),
    Cipher("lea192", korean.Lea(), 16, (24,), forms=(("lea192_parts", ENCRYPT),)),
    Cipher("lea256", korean.Lea(), 16, (32,), forms=(("lea256_parts", ENCRYPT),)),
    Cipher("hight", korean.Hight(), 8, (16,), forms=(("hight_device", BOTH), ("hight_masks", ENCRYPT))),
    Cipher("cham64_128", korean.Cham(16, 88), 8, (16,), forms=(("cham64_128_parts", ENCRYPT), ("cham64_128_device", BOTH),
           ("cham64_128_masks", ENCRYPT))),
    Cipher("cham128_128", korean.Cham(32, 112), 16, (16,), forms=(("cham128_128_parts", ENCRYPT),)),
    Cipher("cham128_256", korean.Cham(32, 120), 16, (32,), forms=(("cham128_256_parts", ENCRYPT),)),
    Cipher("aria128", korean.Aria(), 16, (16,), forms=ARIA_FORMS),
    Cipher("aria192", korean.Aria(), 16, (24,), forms=ARIA_FORMS),
    Cipher("aria256", korean.Aria(), 16, (32,), forms=ARIA_FORMS),
    Cipher("seed", korean.Seed(), 16, (16,)),
    Cipher("camellia128", others.Camellia(), 16, (16,)),
    Cipher("camellia192", others.Camellia(), 16, (24,)),
    Cipher("camellia256", others.Camellia(), 16, (32,)),
    Cipher("aes128", others.Aes(), 16, (16,)),
    Cipher("aes192", others.Aes(), 16, (24,)),
    Cipher("aes256", others.Aes(), 16, (32,)),
    Cipher("des", others.Des(1), 8, (8,)),
    Cipher("des_ede3", others.Des(3), 8, (24,)),
    Cipher("des_ede", others.Des(3), 8, (16,)),
    Cipher("rc2", openpgp.Rc2(128), 8, (1, 16, 128), ranged=True),
    Cipher("rc2_64", openpgp.Rc2(64), 8, (8,), ranged=True),
    Cipher("rc2_40", openpgp.Rc2(40), 8, (5,), ranged=True),
    Cipher("idea", others.Idea(), 8, (16,)),
    Cipher("threefish256", others.Threefish(4), 32, (32,), tweak=True),
    Cipher("threefish512", others.Threefish(8), 64, (64,), tweak=True),
    Cipher("threefish1024", others.Threefish(16), 128, (128,), tweak=True),
    Cipher("cast5", openpgp.Cast128(), 8, tuple(range(5, 17)), ranged=True),
    Cipher("bf", openpgp.Blowfish(), 8, tuple(range(4, 57)), ranged=True),
]
