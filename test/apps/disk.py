"""usage: disk.py ceph | disk.py luks IMAGE PASSWORD PLAIN

Disk encryption by AES-XTS as programs in user space use it, with OpenSSL's names: EVP_get_cipherbyname(), the key
once, then each sector with its number as IV. That is how Ceph's librbd does it.

ceph: an image of sectors of 4 KiB, written and read back in another order; a hash of the ciphertext is printed.
luks: opens an image in LUKS2's format and compares its data with PLAIN, then encrypts the data again. An IMAGE whose
name ends in .xz is compressed.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import lzma
import sys

POINTER, INT = ctypes.c_void_p, ctypes.c_int
CRYPTO = ctypes.CDLL(ctypes.util.find_library("crypto"))
for name, result, arguments in (
        ("EVP_get_cipherbyname", POINTER, [ctypes.c_char_p]), ("EVP_CIPHER_CTX_new", POINTER, []),
        ("EVP_CIPHER_CTX_free", None, [POINTER]),
        ("EVP_CipherInit_ex", INT, [POINTER, POINTER, POINTER, ctypes.c_char_p, ctypes.c_char_p, INT]),
        ("EVP_CipherUpdate", INT, [POINTER, POINTER, ctypes.POINTER(INT), ctypes.c_char_p, INT]),
        ("EVP_CipherFinal_ex", INT, [POINTER, POINTER, ctypes.POINTER(INT)])):
    getattr(CRYPTO, name).restype, getattr(CRYPTO, name).argtypes = result, arguments


class Sectors:
    """Sectors under one key, in one direction."""

    def __init__(self, key, encrypt, sector):
        self.sector, self.context, self.out = sector, CRYPTO.EVP_CIPHER_CTX_new(), ctypes.create_string_buffer(sector)
        cipher = CRYPTO.EVP_get_cipherbyname(b"AES-%d-XTS" % (len(key) * 4))
        assert cipher and CRYPTO.EVP_CipherInit_ex(self.context, cipher, None, key, None, int(encrypt)) == 1

    def close(self):
        CRYPTO.EVP_CIPHER_CTX_free(self.context)

    def one(self, number, data):
        written = INT()
        iv = number.to_bytes(16, "little")
        assert CRYPTO.EVP_CipherInit_ex(self.context, None, None, None, iv, -1) == 1
        assert CRYPTO.EVP_CipherUpdate(self.context, self.out, ctypes.byref(written), data, len(data)) == 1
        assert written.value == len(data)
        assert CRYPTO.EVP_CipherFinal_ex(self.context, None, ctypes.byref(written)) == 1 and written.value == 0
        return self.out.raw

    def all(self, data):
        """LUKS's plain64: IVs count in units of 512 bytes, whatever the sector's size."""
        return b"".join(self.one(at // 512, data[at:at + self.sector]) for at in range(0, len(data), self.sector))


def ceph():
    sector, count = 4096, 64
    key = hashlib.sha512(b"image").digest()
    text = [hashlib.shake_256(b"%d" % i).digest(sector) for i in range(count)]
    seal, open_ = Sectors(key, True, sector), Sectors(key, False, sector)
    image = {i: seal.one(i, text[i]) for i in range(0, count, 2)}
    image.update({i: seal.one(i, text[i]) for i in range(count - 1, 0, -2)})
    assert all(open_.one(i, image[i]) == text[i] for i in reversed(range(count)))
    seal.close()
    open_.close()
    print(hashlib.sha256(b"".join(image[i] for i in range(count))).hexdigest())


def merge(material, size, hash_name):
    """LUKS's anti-forensic splitter, undone."""
    def diffuse(block):
        digest = hashlib.new(hash_name).digest_size
        return b"".join(hashlib.new(hash_name, at.to_bytes(4, "big") + block[at * digest:(at + 1) * digest]).digest()
                        [:len(block) - at * digest] for at in range((len(block) + digest - 1) // digest))

    mixed = bytes(size)
    stripes = [material[at:at + size] for at in range(0, len(material), size)]
    for stripe in stripes[:-1]:
        mixed = diffuse(bytes(a ^ b for a, b in zip(mixed, stripe)))
    return bytes(a ^ b for a, b in zip(mixed, stripes[-1]))


def volume_key(image, header, password):
    slot, digest = header["keyslots"]["0"], header["digests"]["0"]
    kdf, area, af = slot["kdf"], slot["area"], slot["af"]
    assert area["encryption"] == "aes-xts-plain64" and kdf["type"] == "pbkdf2"
    salt = base64.b64decode(kdf["salt"])
    key = hashlib.pbkdf2_hmac(kdf["hash"], password, salt, kdf["iterations"], area["key_size"])
    start, size = int(area["offset"]), slot["key_size"] * af["stripes"]
    sectors = Sectors(key, False, 512)
    found = merge(sectors.all(image[start:start + size]), slot["key_size"], af["hash"])
    sectors.close()
    made = hashlib.pbkdf2_hmac(digest["hash"], found, base64.b64decode(digest["salt"]), digest["iterations"],
                               len(base64.b64decode(digest["digest"])))
    assert made == base64.b64decode(digest["digest"]), "the volume key does not pass its digest"
    return found


def luks(path, password, plain):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        image = file.read()
    with open(plain, "rb") as file:
        text = file.read()
    assert image[:6] == b"LUKS\xba\xbe" and image[6:8] == b"\0\2", "no LUKS2 image"
    header = json.loads(image[4096:int.from_bytes(image[8:16], "big")].rstrip(b"\0"))
    segment = header["segments"]["0"]
    assert segment["encryption"] == "aes-xts-plain64" and segment["iv_tweak"] == "0"
    key = volume_key(image, header, password.encode())
    start, sector = int(segment["offset"]), segment["sector_size"]
    data = image[start:start + len(text)]
    opened, sealed = Sectors(key, False, sector), Sectors(key, True, sector)
    assert opened.all(data) == text, "the image has other data"
    assert sealed.all(text) == data, "the data encrypts to another image"
    opened.close()
    sealed.close()
    print(f"LUKS2, AES-{len(key) * 4}-XTS, sectors of {sector} bytes: {len(text)} bytes are the same")


if sys.argv[1] == "ceph":
    ceph()
else:
    luks(*sys.argv[2:5])
