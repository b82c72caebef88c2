"""Files, in the formats of `openssl enc` where its modes have them.

CTR, CBC and ECB: the bytes of `openssl enc -K KEY -iv IV`. With a password, those of `openssl enc -pbkdf2`: "Salted__",
a salt of 8 bytes, the ciphertext; key and IV are PBKDF2-HMAC-SHA256 of the password, 10,000 iterations unless told
otherwise.

GCM, CCM and GCM-SIV, which `openssl enc` does not have: a nonce of 12 bytes, the ciphertext, the tag. With a password,
"Salted__" and the salt come first, and only the key is made of the password.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import IO, Iterator, Optional, Union

from .cipher import AEAD_MODES, Cipher
from .errors import ArgumentError
from .provider import Provider, default_provider

Path = Union[str, "os.PathLike[str]"]
ITERATIONS = 10000  # what `openssl enc -pbkdf2` has
_MAGIC, _SALT_BYTES, _NONCE_BYTES = b"Salted__", 8, 12
_PIECE = 1 << 22


@contextlib.contextmanager
def replaced(target: Path) -> Iterator[IO[bytes]]:
    """A new file, readable by its owner only, that takes the name `target` when the block ends without an exception.

    Else it is overwritten with zeros and removed.
    """
    number, name = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(target)), prefix=".gpuctr-")
    try:
        with os.fdopen(number, "w+b") as file:
            try:
                yield file
                file.flush()
            except BaseException:
                size = file.seek(0, os.SEEK_END)
                file.seek(0)
                for at in range(0, size, _PIECE):
                    file.write(bytes(min(_PIECE, size - at)))
                raise
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _read(file: IO[bytes], size: int, what: str) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise ArgumentError(f"the file ends within its {what}")
    return data


def _crypt(cipher: Cipher, iv: Optional[bytes], source: IO[bytes], target: IO[bytes], encrypt: bool) -> None:
    """The rest of `source` into `target`; of GCM's with the tag behind it."""
    if cipher.mode in ("CCM", "GCM-SIV"):
        data = source.read()
        target.write(cipher.seal(iv or b"", data) if encrypt else cipher.open(iv or b"", data))
        return
    left = os.fstat(source.fileno()).st_size - source.tell() - (0 if encrypt else cipher.tag_length)
    if left < 0:
        raise ArgumentError("the file ends within its tag")
    piece, out = bytearray(_PIECE), bytearray(_PIECE + cipher.block_size)
    with cipher.encryptor(iv) if encrypt else cipher.decryptor(iv) as message, memoryview(piece) as view:
        # By its size: behind a ciphertext of GCM is the tag.
        while left > 0:
            n = source.readinto(view[: min(left, _PIECE)])  # type: ignore[attr-defined]
            if n == 0:
                raise ArgumentError("the file became shorter while it was read")
            written = message.update_into(view[:n], out)
            target.write(memoryview(out)[:written])
            left -= n
        if encrypt or not cipher.is_aead:
            target.write(message.finalize())
        else:
            message.finalize(_read(source, cipher.tag_length, "tag"))
        if encrypt and cipher.is_aead:
            target.write(message.tag)


def encrypt_file(cipher: Cipher, source: Path, target: Path, *, iv: Optional[bytes] = None) -> Optional[bytes]:
    """Encrypts a regular file and returns the IV, which is random if `iv` is None; None in ECB.

    The IV is not in the file in CTR and CBC: keep it. With a tag, the nonce, 12 bytes, is in the file. `target` gets
    its name when it is complete, and is readable by its owner only.
    """
    if iv is None and cipher.mode != "ECB":
        iv = os.urandom(_NONCE_BYTES if cipher.is_aead else cipher.iv_length)
    _check_nonce(cipher, iv)
    with open(source, "rb") as reading, replaced(target) as writing:
        writing.write(iv or b"" if cipher.is_aead else b"")
        _crypt(cipher, iv, reading, writing, True)
    return iv


def decrypt_file(cipher: Cipher, source: Path, target: Path, *, iv: Optional[bytes] = None) -> None:
    """Decrypts a regular file; `iv` in CTR and CBC only. Raises `InvalidTag` in GCM, CCM and GCM-SIV.

    `target` gets its name when the file is complete and its tag is right; until then the text is in a file of another
    name, which is overwritten with zeros and removed if the tag is wrong.
    """
    if cipher.is_aead and iv is not None:
        raise ArgumentError(f"{cipher.name}: the nonce is in the file")
    with open(source, "rb") as reading, replaced(target) as writing:
        nonce = _read(reading, _NONCE_BYTES, "nonce") if cipher.is_aead else iv
        _crypt(cipher, nonce, reading, writing, False)


def encrypt_file_with_password(name: str, password: bytes, source: Path, target: Path, *, iterations: int = ITERATIONS,
                               provider: Optional[Provider] = None) -> None:
    """Encrypts a regular file under a password. In CTR, CBC and ECB, `openssl enc -d -pbkdf2` decrypts it."""
    salt = os.urandom(_SALT_BYTES)
    cipher, iv = _of_password(name, password, salt, iterations, provider)
    with cipher, open(source, "rb") as reading, replaced(target) as writing:
        writing.write(_MAGIC + salt + (iv or b"" if cipher.is_aead else b""))
        _crypt(cipher, iv, reading, writing, True)


def decrypt_file_with_password(name: str, password: bytes, source: Path, target: Path, *, iterations: int = ITERATIONS,
                               provider: Optional[Provider] = None) -> None:
    """Decrypts what encrypt_file_with_password() or `openssl enc -pbkdf2` made."""
    with open(source, "rb") as reading, replaced(target) as writing:
        if reading.read(len(_MAGIC)) != _MAGIC:
            raise ArgumentError('the file does not begin with "Salted__", so no password made it')
        salt = _read(reading, _SALT_BYTES, "salt")
        cipher, iv = _of_password(name, password, salt, iterations, provider)
        with cipher:
            nonce = _read(reading, _NONCE_BYTES, "nonce") if cipher.is_aead else iv
            _crypt(cipher, nonce, reading, writing, False)


def _check_nonce(cipher: Cipher, iv: Optional[bytes]) -> None:
    if cipher.is_aead and len(iv or b"") != _NONCE_BYTES:
        raise ArgumentError(f"{cipher.name}: the nonce of a file has {_NONCE_BYTES} bytes, not {len(iv or b'')}")


def _of_password(name: str, password: bytes, salt: bytes, iterations: int,
                 provider: Optional[Provider]) -> tuple[Cipher, Optional[bytes]]:
    """The cipher, and its IV: of the password, or random in GCM, CCM and GCM-SIV."""
    if iterations < 1:
        raise ArgumentError(f"{iterations} iterations")
    provider = provider or default_provider()
    info = provider.cipher_info(name)
    aead = info.mode in AEAD_MODES
    made = provider._for(False).pbkdf2(password, salt, iterations, info.key_length + (0 if aead else info.iv_length))
    cipher = Cipher(name, made[: info.key_length], provider=provider)
    iv = os.urandom(_NONCE_BYTES) if aead else made[info.key_length :]
    return cipher, iv or None
