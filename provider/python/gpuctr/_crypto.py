"""libcrypto through ctypes: the functions used here with their types, parameters, and the error queue.

ctypes, because the standard library has it: the package needs no compiler and no other package, and one wheel serves
every version of Python. A call through it takes less than a microsecond and releases the GIL.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
from typing import Any, Callable, Mapping, NoReturn, Union

from .errors import Error, OperationError, ProviderError, Reason

POINTER, TEXT, SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
INT, UINT, LONG, ULONG = ctypes.c_int, ctypes.c_uint, ctypes.c_long, ctypes.c_ulong
SIZE_OUT, INT_OUT = ctypes.POINTER(SIZE), ctypes.POINTER(INT)
VISITOR = ctypes.CFUNCTYPE(None, POINTER, POINTER)

PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "OPENSSL_version_major": (UINT, []),
    "OpenSSL_version": (TEXT, [INT]),
    "OPENSSL_cleanse": (None, [POINTER, SIZE]),
    "OSSL_LIB_CTX_new": (POINTER, []),
    "OSSL_LIB_CTX_free": (None, [POINTER]),
    "BIO_new_mem_buf": (POINTER, [TEXT, INT]),
    "BIO_free": (INT, [POINTER]),
    "NCONF_new_ex": (POINTER, [POINTER, POINTER]),
    "NCONF_load_bio": (INT, [POINTER, POINTER, ctypes.POINTER(LONG)]),
    "NCONF_free": (None, [POINTER]),
    "CONF_modules_load": (INT, [POINTER, TEXT, ULONG]),
    "OSSL_PROVIDER_load": (POINTER, [POINTER, TEXT]),
    "OSSL_PROVIDER_set_default_search_path": (INT, [POINTER, TEXT]),
    "OSSL_PROVIDER_self_test": (INT, [POINTER]),
    "OSSL_PROVIDER_get_params": (INT, [POINTER, POINTER]),
    "ERR_clear_error": (None, []),
    "ERR_get_error_all": (ULONG, [POINTER, POINTER, POINTER, ctypes.POINTER(TEXT), INT_OUT]),
    "ERR_reason_error_string": (TEXT, [ULONG]),
    "EVP_CIPHER_fetch": (POINTER, [POINTER, TEXT, TEXT]),
    "EVP_CIPHER_do_all_provided": (None, [POINTER, VISITOR, POINTER]),
    "EVP_CIPHER_get0_name": (TEXT, [POINTER]),
    "EVP_CIPHER_get0_provider": (POINTER, [POINTER]),
    "EVP_CIPHER_get_mode": (INT, [POINTER]),
    "EVP_CIPHER_get_block_size": (INT, [POINTER]),
    "EVP_CIPHER_get_key_length": (INT, [POINTER]),
    "EVP_CIPHER_get_iv_length": (INT, [POINTER]),
    "EVP_CIPHER_CTX_new": (POINTER, []),
    "EVP_CIPHER_CTX_free": (None, [POINTER]),
    "EVP_CIPHER_CTX_ctrl": (INT, [POINTER, INT, INT, POINTER]),
    "EVP_CIPHER_CTX_set_key_length": (INT, [POINTER, INT]),
    "EVP_CIPHER_CTX_set_params": (INT, [POINTER, POINTER]),
    "EVP_CIPHER_CTX_get_params": (INT, [POINTER, POINTER]),
    "EVP_CipherInit_ex2": (INT, [POINTER, POINTER, POINTER, POINTER, INT, POINTER]),
    "EVP_CipherUpdate": (INT, [POINTER, POINTER, INT_OUT, POINTER, INT]),
    "EVP_CipherFinal_ex": (INT, [POINTER, POINTER, INT_OUT]),
    "EVP_KDF_fetch": (POINTER, [POINTER, TEXT, TEXT]),
    "EVP_KDF_free": (None, [POINTER]),
    "EVP_KDF_CTX_new": (POINTER, [POINTER]),
    "EVP_KDF_CTX_free": (None, [POINTER]),
    "EVP_KDF_derive": (INT, [POINTER, POINTER, SIZE, POINTER]),
    "EVP_RAND_fetch": (POINTER, [POINTER, TEXT, TEXT]),
    "EVP_RAND_do_all_provided": (None, [POINTER, VISITOR, POINTER]),
    "EVP_RAND_get0_name": (TEXT, [POINTER]),
    "EVP_RAND_get0_provider": (POINTER, [POINTER]),
    "EVP_RAND_CTX_new": (POINTER, [POINTER, POINTER]),
    "EVP_RAND_CTX_free": (None, [POINTER]),
    "EVP_RAND_CTX_set_params": (INT, [POINTER, POINTER]),
    "EVP_RAND_CTX_get_params": (INT, [POINTER, POINTER]),
    "EVP_RAND_enable_locking": (INT, [POINTER]),
    "EVP_RAND_instantiate": (INT, [POINTER, UINT, INT, POINTER, SIZE, POINTER]),
    "EVP_RAND_generate": (INT, [POINTER, POINTER, SIZE, UINT, INT, POINTER, SIZE]),
    "EVP_RAND_reseed": (INT, [POINTER, INT, POINTER, SIZE, POINTER, SIZE]),
}

ERR_TXT_STRING = 2
PARAM_INTEGER, PARAM_UNSIGNED, PARAM_REAL, PARAM_TEXT, PARAM_OCTETS = 1, 2, 3, 4, 5

Value = Union[int, float, str, bytes]


class Param(ctypes.Structure):
    """OSSL_PARAM."""

    _fields_ = [("key", TEXT), ("type", UINT), ("data", POINTER), ("size", SIZE), ("written", SIZE)]


class Params:
    """An array of OSSL_PARAM, which keeps the memory of its values alive."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.array = (Param * (len(values) + 1))()
        self._keep: list[Any] = []
        setattr(self.array, "buffers", self._keep)  # callers pass the array on without this object
        for slot, (key, value) in zip(self.array, values.items()):
            buffer: Any
            if isinstance(value, float):
                buffer, slot.type, slot.size = ctypes.c_double(value), PARAM_REAL, 8
            elif isinstance(value, int) and value < 0:
                buffer, slot.type, slot.size = ctypes.c_int64(value), PARAM_INTEGER, 8
            elif isinstance(value, int):
                buffer, slot.type, slot.size = SIZE(value), PARAM_UNSIGNED, ctypes.sizeof(SIZE)
            else:
                data = value.encode() if isinstance(value, str) else value
                buffer = ctypes.create_string_buffer(data, len(data) + 1)
                slot.type, slot.size = PARAM_TEXT if isinstance(value, str) else PARAM_OCTETS, len(data)
            self._keep.append(buffer)
            slot.key, slot.data, slot.written = key.encode(), ctypes.addressof(buffer), SIZE(-1).value

    def number(self) -> int:
        """The value of the first parameter, which is a number, after a query."""
        return int(self._keep[0].value)

    def text(self) -> str:
        """The value of the first parameter, which is a text, after a query."""
        return bytes(self._keep[0].raw)[: self.array[0].written].decode()


def _load() -> ctypes.CDLL:
    """The libcrypto of this process if there is one, else the system's."""
    try:
        # Where Python is linked with a shared libcrypto (Debian, conda), dlopen() then finds that one by its name:
        # two versions of libcrypto do not meet in one process.
        import _hashlib  # noqa: F401
    except ImportError:
        pass
    named = os.environ.get("GPUCTR_LIBCRYPTO")
    names = [named] if named else ["libcrypto.so.3", "libcrypto.so.4", ctypes.util.find_library("crypto")]
    causes = []
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
            for function, (result, arguments) in PROTOTYPES.items():
                found = getattr(library, function)
                found.restype, found.argtypes = result, arguments
            return library
        except (OSError, AttributeError) as error:
            causes.append(str(error))
    raise ProviderError("there is no libcrypto of OpenSSL 3 or later: " + "; ".join(causes or ["none is installed"]))


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """libcrypto with its prototypes. Raises ProviderError."""
    return _load()


def reasons() -> list[Reason]:
    """OpenSSL's error queue of this thread, which is emptied."""
    crypto, found = library(), []
    data, flags = TEXT(), INT()
    while code := crypto.ERR_get_error_all(None, None, None, ctypes.byref(data), ctypes.byref(flags)):
        text = crypto.ERR_reason_error_string(code)
        detail = data.value if flags.value & ERR_TXT_STRING and data.value else b""
        system = bool(code & 0x80000000)
        found.append(Reason(2 if system else code >> 23 & 0xFF, code & (0x7FFFFFFF if system else 0x7FFFFF),
                            text.decode() if text else "", detail.decode(errors="replace")))
    return found


def fail(message: str, kind: type[Error] = OperationError) -> NoReturn:
    """Raises `kind` with what the error queue says."""
    raise kind(message, reasons())


def wiper(buffer: ctypes.Array[ctypes.c_char]) -> Callable[[], None]:
    """What zeroes `buffer`, which the caller keeps, even when the interpreter ends and modules have lost their names."""
    return functools.partial(library().OPENSSL_cleanse, ctypes.addressof(buffer), len(buffer))


def cleanse(address: int, size: int) -> None:
    """Zeroes ordinary memory."""
    library().OPENSSL_cleanse(address, size)
