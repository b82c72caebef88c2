"""usage: rewrap.py MODULES_FOLDER IN.der KEY.pem NAME OID OUT.der WRONG.der

Makes of a CMS message with key agreement (RFC 5753, X9.63 with SHA-1) and id-aes128-wrap one whose key is wrapped by
the algorithm NAME, which has this OID. OpenSSL's commands cannot make such messages: it has no object for most of these
OIDs.
KEY.pem is the recipient's. WRONG.der is the same message with one bit of the wrapped key changed.
"""
import hashlib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cavp"))
sys.dont_write_bytecode = True

from libcrypto import Cipher, Library  # noqa: E402


def read(data):
    """DER as a list of [tag, content]; the content of what is constructed is such a list too."""
    out = []
    while data:
        tag, size, at = data[0], data[1], 2
        if size >= 0x80:
            at += size & 0x7F
            size = int.from_bytes(data[2:at], "big")
        content = data[at : at + size]
        out.append([tag, read(content) if tag & 0x20 else content])
        data = data[at + size :]
    return out


def write(items):
    out = b""
    for tag, content in items:
        data = write(content) if isinstance(content, list) else content
        size = len(data)
        head = bytes([size]) if size < 0x80 else b"\x82" + size.to_bytes(2, "big")
        out += bytes([tag]) + head + data
    return out


def oid(text):
    first, second, *rest = map(int, text.split("."))
    out = bytes([40 * first + second])
    for number in rest:
        part = [number & 0x7F]
        while number := number >> 7:
            part.insert(0, number & 0x7F | 0x80)
        out += bytes(part)
    return out


def agreed(secret, algorithm, size):
    """X9.63's KDF over ECC-CMS-SharedInfo."""
    info = write([[0x30, [algorithm, [0xA2, [[0x04, (8 * size).to_bytes(4, "big")]]]]]])
    out = b"".join(hashlib.sha1(secret + i.to_bytes(4, "big") + info).digest() for i in (1, 2))
    return out[:size]


def secret_of(point, key):
    """Of the sender's public key, a BIT STRING's content, and the recipient's key."""
    named = [0x30, [[0x06, oid("1.2.840.10045.2.1")], [0x06, oid("1.2.840.10045.3.1.7")]]]
    with tempfile.NamedTemporaryFile() as file:
        file.write(write([[0x30, [named, [0x03, point]]]]))
        file.flush()
        return subprocess.run(["openssl", "pkeyutl", "-derive", "-inkey", key, "-peerkey", file.name, "-peerform", "DER"],
                              check=True, capture_output=True).stdout


def crypt(cipher, wraps, key, data):
    cipher.start(wraps, key, None)
    return cipher.update(data)


modules, source, key, name, new_oid, target, wrong = sys.argv[1:]
with open(source, "rb") as file:
    message = read(file.read())
recipient = message[0][1][1][1][0][1][1][1][0]  # ContentInfo, [0], EnvelopedData, RecipientInfos, the first
assert recipient[0] == 0xA1, "not a recipient with key agreement"
fields = recipient[1]
point = fields[1][1][0][1][1][1]  # [0] originator, [1] originatorKey, its BIT STRING
algorithm = fields[2][1][1]  # the parameter of the key agreement: the algorithm that wraps
keys = fields[3][1][0][1]
assert algorithm[1][0][1] == oid("2.16.840.1.101.3.4.1.5"), "not id-aes128-wrap"

secret = secret_of(point, key)
stock = Cipher(Library("provider=default"), "AES-128-WRAP")
content_key = crypt(stock, False, agreed(secret, algorithm, 16), keys[1][1])
ours = Cipher(Library("provider=gpuctr", "gpuctr", modules), name)
algorithm[1] = [[0x06, oid(new_oid)]]
keys[1][1] = crypt(ours, True, agreed(secret, algorithm, ours.key_bytes), content_key)
with open(target, "wb") as file:
    file.write(write(message))
keys[1][1] = bytes([keys[1][1][0] ^ 1]) + keys[1][1][1:]
with open(wrong, "wb") as file:
    file.write(write(message))
