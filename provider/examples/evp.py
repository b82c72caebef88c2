"""EVP through ctypes: counter mode and random bytes on bytes-like objects, numpy arrays, and tensors on a card.

Anything with __cuda_array_interface__ (PyTorch, CuPy, Numba) is taken where it lies; that needs `gpu-pointers = yes` in
openssl.cnf, and the streams that wrote the tensor have to be synchronized before (gpuctr(7), DEVICE MEMORY).
OPENSSL_CONF or OPENSSL_MODULES say where the provider is, as for any program.
"""

import ctypes
import ctypes.util
import math

crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
PIECE = 1 << 30  # an update takes an int
_p, _i, _n = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
for _name, _result, *_types in (
    ("EVP_CIPHER_fetch", _p, _p, ctypes.c_char_p, ctypes.c_char_p),
    ("EVP_CIPHER_CTX_new", _p), ("EVP_CIPHER_CTX_free", None, _p), ("EVP_CIPHER_free", None, _p),
    ("EVP_CIPHER_get_iv_length", _i, _p), ("EVP_CIPHER_get_key_length", _i, _p),
    ("EVP_EncryptInit_ex2", _i, _p, _p, ctypes.c_char_p, ctypes.c_char_p, _p),
    ("EVP_EncryptUpdate", _i, _p, _p, ctypes.POINTER(_i), _p, _i), ("ERR_get_error", ctypes.c_ulong),
    ("ERR_error_string_n", None, ctypes.c_ulong, ctypes.c_char_p, _n), ("RAND_bytes_ex", _i, _p, _p, _n, ctypes.c_uint),
):
    _function = getattr(crypto, _name)
    _function.restype, _function.argtypes = _result, _types


def check(result):
    if not result:
        text = ctypes.create_string_buffer(256)
        crypto.ERR_error_string_n(crypto.ERR_get_error(), text, len(text))
        raise OSError(text.value.decode())
    return result


def memory(data, writable):
    """The address and the number of bytes of an array, a tensor or a bytes-like object, and what keeps it alive."""
    array = getattr(data, "__cuda_array_interface__", None) or getattr(data, "__array_interface__", None)
    if array is None:
        view = memoryview(data).cast("B")
        if view.readonly and not writable:
            data = bytes(view)
            return ctypes.cast(ctypes.c_char_p(data), _p).value, len(data), data
        buffer = (ctypes.c_char * len(view)).from_buffer(view)
        return ctypes.addressof(buffer), len(view), buffer
    address, readonly = array["data"]
    if array.get("strides") is not None or (readonly and writable):
        raise ValueError("the array has to be contiguous, and writable where it is the output")
    return address, math.prod(array["shape"]) * int(array["typestr"][2:]), data


def ctr(name, key, iv, data, out=None, offset=0):
    """XORs the keystream from byte `offset` of a message on to `data`, into `out` or in place. Encrypts and decrypts."""
    source, size, _keep = memory(data, writable=out is None)
    target, room, _keep_too = (source, size, None) if out is None else memory(out, writable=True)
    cipher, context = check(crypto.EVP_CIPHER_fetch(None, name.encode(), None)), crypto.EVP_CIPHER_CTX_new()
    try:
        block, n = crypto.EVP_CIPHER_get_iv_length(cipher), _i()
        if (len(key), len(iv)) != (crypto.EVP_CIPHER_get_key_length(cipher), block) or room < size:
            raise ValueError("the key, the IV or the output has the wrong size")
        counter = (int.from_bytes(iv, "big") + offset // block) % (1 << 8 * block)
        check(crypto.EVP_EncryptInit_ex2(context, cipher, key, counter.to_bytes(block, "big"), None))
        skipped = ctypes.create_string_buffer(block)  # to where `offset` is within its block
        check(crypto.EVP_EncryptUpdate(context, skipped, n, skipped, offset % block))
        for at in range(0, size, PIECE):
            check(crypto.EVP_EncryptUpdate(context, target + at, n, source + at, min(PIECE, size - at)))
    finally:
        crypto.EVP_CIPHER_CTX_free(context)
        crypto.EVP_CIPHER_free(cipher)


def randomize(data):
    """Fills `data` from the program's generator, which openssl.cnf names."""
    address, size, _keep = memory(data, writable=True)
    for at in range(0, size, PIECE):
        check(crypto.RAND_bytes_ex(None, address + at, min(PIECE, size - at), 0))
