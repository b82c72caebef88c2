"""gpuctr: block ciphers and CTR_DRBG generators of the OpenSSL provider gpuctr, for bytes, arrays and tensors.

    import gpuctr, numpy
    cipher = gpuctr.Cipher("LEA-256-GCM", key)
    sealed = cipher.seal(nonce, b"text")            # ciphertext and tag
    assert cipher.open(nonce, sealed) == b"text"    # or gpuctr.InvalidTag
    tag = cipher.seal_into(other_nonce, array)      # in place, also on a device
"""

from __future__ import annotations

from .batch import Batch
from .cipher import Cipher
from .errors import (ArgumentError, ArrayError, ArrayTypeError, DeviceError, EmptyError, Error, InvalidTag,
                     NotContiguousError, OperationError, ProviderError, ReadOnlyError, Reason, RequiresGradError,
                     UnsupportedError)
from .files import decrypt_file, decrypt_file_with_password, encrypt_file, encrypt_file_with_password
from .generator import Generator
from .message import Message
from .provider import CipherInfo, Provider, default_provider, module_path

__all__ = [
    "ArgumentError", "ArrayError", "ArrayTypeError", "Batch", "Cipher", "CipherInfo", "DeviceError", "EmptyError", "Error",
    "Generator", "InvalidTag", "Message", "NotContiguousError", "OperationError", "Provider", "ProviderError",
    "ReadOnlyError", "Reason", "RequiresGradError", "UnsupportedError", "ciphers", "decrypt_file",
    "decrypt_file_with_password", "default_provider", "encrypt_file", "encrypt_file_with_password", "generators",
    "module_path",
]


def ciphers() -> list[str]:
    """Names of all ciphers with their modes that the default provider has."""
    return default_provider().ciphers()


def generators() -> list[str]:
    """Names of all random generators that the default provider has."""
    return default_provider().generators()
