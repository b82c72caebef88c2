"""usage: openpgp.py open|make PASSPHRASE FROM TO

Opens or makes an OpenPGP message (RFC 4880) that is encrypted with a passphrase and CAST5. `openssl enc` does the
encryption, CFB of whole blocks under an IV of zeros. The message has a packet of the key (5.3) and one of integrity
protected data (5.13), and in that a literal packet (5.9).
"""
import hashlib
import os
import subprocess
import sys

CAST5, SHA1, ITERATED = 3, 2, 3
HASHES = {SHA1: "sha1", 8: "sha256", 10: "sha512"}
KEY_PACKET, PROTECTED, LITERAL, BLOCK, MDC = 3, 18, 11, 8, b"\xd3\x14"


def packets(data):
    """Tag and body of each: 4.2."""
    at = 0
    while at < len(data):
        first, at = data[at], at + 1
        body = b""
        if not first & 0x40:  # the old format
            tag, size = first >> 2 & 15, 1 << (first & 3)
            if size == 8:  # to the end of the data
                length = len(data) - at
            else:
                length, at = int.from_bytes(data[at:at + size], "big"), at + size
            yield tag, data[at:at + length]
            at += length
            continue
        while True:
            length, at = data[at], at + 1
            partial = 224 <= length < 255
            if partial:
                length = 1 << (length & 31)
            elif length == 255:
                length, at = int.from_bytes(data[at:at + 4], "big"), at + 4
            elif length >= 192:
                length, at = ((length - 192) << 8) + data[at] + 192, at + 1
            body += data[at:at + length]
            at += length
            if not partial:
                break
        yield first & 63, body


def packet(tag, body):
    return bytes([0xc0 | tag, 255]) + len(body).to_bytes(4, "big") + body


def key_of(passphrase, digest, salt, count):
    """The iterated and salted S2K, 3.7.1.3; no hash here is shorter than a key."""
    size = (16 + (count & 15)) << ((count >> 4) + 6)
    text = salt + passphrase
    return hashlib.new(HASHES[digest], (text * (size // len(text) + 1))[:max(size, len(text))]).digest()[:16]


def crypt(key, data, *words):
    command = ["openssl", "enc", "-cast5-cfb", "-K", key.hex(), "-iv", "00" * BLOCK, *words]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def opened(passphrase, message):
    (first, key_body), (second, body) = packets(message)
    version, cipher, method, digest = key_body[:4]
    if (first, second, version, cipher, method, body[0]) != (KEY_PACKET, PROTECTED, 4, CAST5, ITERATED, 1):
        sys.exit(f"not a message of this kind: packets {first} and {second}, cipher {cipher}, S2K {method}")
    text = crypt(key_of(passphrase, digest, key_body[4:12], key_body[12]), body[1:], "-d")
    if text[BLOCK:BLOCK + 2] != text[BLOCK - 2:BLOCK]:
        sys.exit("the passphrase is wrong")
    if text[-22:-20] != MDC or hashlib.sha1(text[:-20]).digest() != text[-20:]:
        sys.exit("the message was changed")
    ((tag, literal),) = packets(text[BLOCK + 2:-22])
    if tag != LITERAL:
        sys.exit(f"packet {tag} in place of a literal one")
    return literal[2 + literal[1] + 4:]


def made(passphrase, text):
    salt, start = os.urandom(8), os.urandom(BLOCK)
    whole = start + start[-2:] + packet(LITERAL, b"b\0" + bytes(4) + text) + MDC
    whole += hashlib.sha1(whole).digest()
    sealed = crypt(key_of(passphrase, SHA1, salt, 96), whole)
    return packet(KEY_PACKET, bytes([4, CAST5, ITERATED, SHA1]) + salt + b"\x60") + packet(PROTECTED, b"\1" + sealed)


what, secret, source, target = sys.argv[1:]
with open(source, "rb") as file:
    given = file.read()
with open(target, "wb") as file:
    file.write((opened if what == "open" else made)(secret.encode(), given))
