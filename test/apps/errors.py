# What a program that uses pyca/cryptography sees of each misuse of AES: one line each.
import binascii
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM

key, iv, nonce = bytes(range(16)), bytes(range(16)), bytes(range(12))


def seen(name, act):
    try:
        answer = act()
        print(name, "done", binascii.hexlify(answer).decode() if isinstance(answer, bytes) else answer)
    except Exception as error:
        print(name, type(error).__name__, error)


def finish(context, data):
    return context.update(data) + context.finalize()


def forged_stream(tag):
    return finish(Cipher(algorithms.AES(key), modes.GCM(nonce, tag)).decryptor(), bytes(40))


def recover():
    """A forged message is answered by InvalidTag, the program goes on, and the next message opens."""
    box = AESGCM(key)
    sealed = box.encrypt(nonce, b"text", b"data")
    try:
        box.decrypt(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"data")
    except InvalidTag:
        return box.decrypt(nonce, sealed, b"data")
    return "a forged message was opened"


cbc = Cipher(algorithms.AES(key), modes.CBC(iv))
ecb = Cipher(algorithms.AES(key), modes.ECB())
seen("gcm", lambda: AESGCM(key).encrypt(nonce, b"text", b"data"))
seen("gcm forged", lambda: AESGCM(key).decrypt(nonce, bytes(40), b""))
seen("gcm forged, no text", lambda: AESGCM(key).decrypt(nonce, bytes(16), b""))
seen("gcm forged, stream", lambda: forged_stream(bytes(16)))
seen("gcm without a tag", lambda: finish(Cipher(algorithms.AES(key), modes.GCM(nonce)).decryptor(), bytes(40)))
seen("gcm recovers", recover)
seen("ccm", lambda: AESCCM(key).encrypt(nonce, b"text", b"data"))
seen("ccm forged", lambda: AESCCM(key).decrypt(nonce, bytes(40), b""))
seen("cbc", lambda: finish(cbc.encryptor(), bytes(32)))
seen("cbc partial block", lambda: finish(cbc.encryptor(), bytes(33)))
seen("cbc partial block, decryption", lambda: finish(cbc.decryptor(), bytes(33)))
seen("ecb partial block", lambda: finish(ecb.encryptor(), bytes(5)))
seen("bad padding", lambda: (lambda u: u.update(bytes(16)) + u.finalize())(padding.PKCS7(128).unpadder()))
with open(sys.argv[1], "rb") as file:  # the same key for every run: of 256 wrong keys, one leaves good padding
    pem = file.read()
for password in range(20):
    seen("pem, wrong password", lambda: serialization.load_pem_private_key(pem, str(password).encode()))
seen("pem", lambda: serialization.load_pem_private_key(pem, b"right").key_size)
