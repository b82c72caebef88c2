"""One message of a cipher: EVP_CIPHER_CTX."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Optional

from . import _crypto
from .errors import ArgumentError, InvalidTag, OperationError
from .memory import address_of
from .provider import Library

PIECE = 1 << 30  # an update takes an int
_SET_IV_BYTES, _GET_TAG, _SET_TAG = 0x9, 0x10, 0x11  # EVP_CTRL_AEAD_*
_WRONG_TAG = 102  # PROV_R_CIPHER_OPERATION_FAILED
_DEVICE_FAILED = 15  # "a GPU is required and cannot serve": the output is undefined


class Context:
    """EVP_CIPHER_CTX, freed and wiped by close(). One thread at a time."""

    def __init__(self, library: Library, name: str) -> None:
        self.name = name
        self.crypto = crypto = library.crypto
        self.cipher = library.fetch("CIPHER", name)
        crypto.ERR_clear_error()
        self._context: Optional[int] = crypto.EVP_CIPHER_CTX_new() or _crypto.fail("no cipher context")
        self.wrote = False  # whether output may have been written
        self._written = ctypes.c_int()
        self._written_at = ctypes.byref(self._written)

    def close(self) -> None:
        context, self._context = self._context, None
        if context:
            self.crypto.EVP_CIPHER_CTX_free(context)

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_context", None):
            self.close()

    def need(self, result: Any) -> None:
        if not result:
            _crypto.fail(self.name)

    def init(self, key: Any, key_bytes: int, iv: Optional[bytes], encrypt: bool, *,
             parameters: Optional[dict[str, _crypto.Value]] = None, iv_bytes: Optional[int] = None,
             tag: Optional[bytes] = None, tag_bytes: Optional[int] = None) -> None:
        """Begins a message. `iv_bytes`: sets the length of the IV; `tag_bytes` and `tag`: CCM, which takes both
        here."""
        crypto, context = self.crypto, self._context
        self.need(crypto.EVP_CipherInit_ex2(context, self.cipher, None, None, encrypt, None))
        usual = crypto.EVP_CIPHER_get_key_length(self.cipher)
        if key_bytes != usual and crypto.EVP_CIPHER_CTX_set_key_length(context, key_bytes) != 1:
            _crypto.fail(f"{self.name}: the key has {key_bytes} bytes, not {usual}", ArgumentError)
        if iv_bytes is not None:
            self.need(crypto.EVP_CIPHER_CTX_ctrl(context, _SET_IV_BYTES, iv_bytes, None))
        if tag_bytes is not None:
            self.need(crypto.EVP_CIPHER_CTX_ctrl(context, _SET_TAG, tag_bytes, tag))
        array = _crypto.Params(parameters).array if parameters else None
        self.need(crypto.EVP_CipherInit_ex2(context, None, key, iv, encrypt, array))

    def set(self, name: str, value: _crypto.Value) -> None:
        self.need(self.crypto.EVP_CIPHER_CTX_set_params(self._context, _crypto.Params({name: value}).array))

    def text(self, name: str) -> str:
        asked = _crypto.Params({name: " " * 64})
        self.need(self.crypto.EVP_CIPHER_CTX_get_params(self._context, asked.array))
        return asked.text()

    def announce(self, size: int) -> None:
        """The length of a CCM text, before its associated data."""
        self.need(self.crypto.EVP_CipherUpdate(self._context, None, self._written_at, None, size))

    def add_aad(self, address: int, size: int) -> None:
        for at in range(0, size, PIECE):
            self.need(self.crypto.EVP_CipherUpdate(self._context, None, self._written_at, address + at,
                                                   min(PIECE, size - at)))

    def update(self, target: int, source: int, size: int) -> int:
        """Encrypts or decrypts `size` bytes. Returns how many were written."""
        total = 0
        try:
            for at in range(0, size, PIECE):
                self.need(self.crypto.EVP_CipherUpdate(self._context, target + total, self._written_at, source + at,
                                                       min(PIECE, size - at)))
                total += self._written.value
        except OperationError as error:
            self.wrote |= any(reason.number == _DEVICE_FAILED for reason in error.reasons)
            raise
        finally:
            self.wrote |= total > 0
        return total

    def final(self, target: int) -> int:
        """Ends the message. `target` has room for a block in ECB and CBC. Returns how many bytes were written."""
        self.need(self.crypto.EVP_CipherFinal_ex(self._context, target, self._written_at))
        return self._written.value

    def tag(self, size: int) -> bytes:
        made = ctypes.create_string_buffer(size)
        self.need(self.crypto.EVP_CIPHER_CTX_ctrl(self._context, _GET_TAG, size, made))
        return made.raw

    def set_tag(self, tag: bytes) -> None:
        self.need(self.crypto.EVP_CIPHER_CTX_ctrl(self._context, _SET_TAG, len(tag), tag))


def as_tag_error(error: OperationError, name: str) -> Exception:
    """What failed where only the tag can be wrong: InvalidTag, unless the queue has another reason."""
    if all(reason.number == _WRONG_TAG for reason in error.reasons):
        return InvalidTag(f"{name}: the tag does not belong to this message", error.reasons)
    return error


def zero_device(on_host: Library, on_device: Library, cipher: str, address: int, size: int) -> None:
    """Zeroes device memory by counter mode under a random key: the keystream, encrypted there, is zeros.

    `cipher` is the name of a cipher without its mode.
    """
    piece = 1 << 20
    zeros, keystream = bytes(piece), ctypes.create_string_buffer(piece)
    host, device = Context(on_host, cipher + "-CTR"), Context(on_device, cipher + "-CTR")
    with host, device:
        key = os.urandom(host.crypto.EVP_CIPHER_get_key_length(host.cipher))
        iv = bytes(host.crypto.EVP_CIPHER_get_iv_length(host.cipher))
        for context in (host, device):
            context.init(key, len(key), iv, True)
        for at in range(0, size, piece):
            n = min(piece, size - at)
            host.update(ctypes.addressof(keystream), address_of(zeros), n)
            device.update(address + at, ctypes.addressof(keystream), n)
