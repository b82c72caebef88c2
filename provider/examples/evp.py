"""Counter mode and random bytes through ctypes, on bytes-like objects,
numpy arrays, and tensors on a card.

Objects with __cuda_array_interface__ (PyTorch, CuPy, Numba) are used where
they lie. That needs `gpu-pointers = yes` in openssl.cnf; synchronize the
streams that wrote the tensor first (gpuctr(7), DEVICE MEMORY).
If openssl.cnf gives no such cipher, gpuctr is loaded; OPENSSL_MODULES names
the folder of a module that is not installed.
"""

import ctypes
import ctypes.util
import math

crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
PIECE = 1 << 30  # an update takes an int
CTR_MODE = 5  # EVP_CIPH_CTR_MODE
_p, _i, _n, _s = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t,
                  ctypes.c_char_p)
for _name, _result, *_types in (
    ("OSSL_PROVIDER_available", _i, _p, _s),
    ("OSSL_PROVIDER_try_load", _p, _p, _s, _i),
    ("EVP_CIPHER_fetch", _p, _p, _s, _s), ("EVP_CIPHER_free", None, _p),
    ("EVP_CIPHER_CTX_new", _p), ("EVP_CIPHER_CTX_free", None, _p),
    ("EVP_CIPHER_get_mode", _i, _p), ("EVP_CIPHER_get_iv_length", _i, _p),
    ("EVP_CIPHER_get_key_length", _i, _p),
    ("EVP_EncryptInit_ex2", _i, _p, _p, _s, _s, _p),
    ("EVP_EncryptUpdate", _i, _p, _p, ctypes.POINTER(_i), _p, _i),
    ("RAND_bytes_ex", _i, _p, _p, _n, ctypes.c_uint),
    ("ERR_clear_error", None),
    ("ERR_get_error_all", ctypes.c_ulong, ctypes.POINTER(_s),
     ctypes.POINTER(_i), ctypes.POINTER(_s), ctypes.POINTER(_s),
     ctypes.POINTER(_i)),
    ("ERR_reason_error_string", _s, ctypes.c_ulong),
):
    _function = getattr(crypto, _name)
    _function.restype, _function.argtypes = _result, _types


def causes():
    """The reasons and data on OpenSSL's error queue, which is emptied."""
    file, line, function, data, flags = _s(), _i(), _s(), _s(), _i()
    texts = []
    while code := crypto.ERR_get_error_all(file, line, function, data,
                                           flags):
        reason = crypto.ERR_reason_error_string(code) or b"error %d" % code
        texts += [b": ".join(t for t in (reason, data.value) if t).decode()]
    return "; ".join(texts) or "OpenSSL gives no reason"


def check(result, what):
    if not result:
        raise OSError(f"{what}: {causes()}")
    return result


def fetch(name):
    """A cipher in counter mode. The caller frees it."""
    crypto.ERR_clear_error()
    text = name.encode()
    cipher = crypto.EVP_CIPHER_fetch(None, text, None)
    if not cipher and not crypto.OSSL_PROVIDER_available(None, b"gpuctr"):
        # 1: the default provider stays, where openssl.cnf names none.
        if crypto.OSSL_PROVIDER_try_load(None, b"gpuctr", 1):
            crypto.ERR_clear_error()
            cipher = crypto.EVP_CIPHER_fetch(None, text, None)
    check(cipher, name)
    if crypto.EVP_CIPHER_get_mode(cipher) != CTR_MODE:
        crypto.EVP_CIPHER_free(cipher)
        raise ValueError(f"{name} is not a cipher in counter mode")
    return cipher


def memory(data, writable):
    """Address and size in bytes of an array, a tensor or a bytes-like
    object, and the object that keeps the memory alive."""
    array = (getattr(data, "__cuda_array_interface__", None)
             or getattr(data, "__array_interface__", None))
    if array is None:
        view = memoryview(data).cast("B")
        if view.readonly and not writable:
            data = bytes(view)
            return ctypes.cast(_s(data), _p).value, len(data), data
        buffer = (ctypes.c_char * len(view)).from_buffer(view)
        return ctypes.addressof(buffer), len(view), buffer
    address, readonly = array["data"]
    if array.get("strides") is not None or (readonly and writable):
        raise ValueError("the array must be contiguous, and the output"
                         " writable")
    size = math.prod(array["shape"]) * int(array["typestr"][2:])
    return address, size, data


def ctr(name, key, iv, data, out=None, offset=0):
    """Encrypts or decrypts `data` into `out`, or in place.

    `offset` is the position of `data` within its message, in bytes.
    """
    source, size, _keep = memory(data, writable=out is None)
    target, room = source, size
    if out is not None:
        target, room, _keep_too = memory(out, writable=True)
    cipher, context, n = fetch(name), None, _i()
    try:
        block = crypto.EVP_CIPHER_get_iv_length(cipher)
        for what, has, takes in (
            ("key", len(key), crypto.EVP_CIPHER_get_key_length(cipher)),
            ("IV", len(iv), block),
        ):
            if has != takes:
                raise ValueError(f"{name}: the {what} has {has} bytes,"
                                 f" not {takes}")
        if room < size:
            raise ValueError(f"{name}: the output has {room} bytes, the"
                             f" input {size}")
        counter = int.from_bytes(iv, "big") + offset // block
        counter = (counter % (1 << 8 * block)).to_bytes(block, "big")
        context = check(crypto.EVP_CIPHER_CTX_new(), name)
        check(crypto.EVP_EncryptInit_ex2(context, cipher, key, counter,
                                         None), name)
        # Skips the bytes of the first block that lie before `offset`.
        skipped = ctypes.create_string_buffer(block)
        check(crypto.EVP_EncryptUpdate(context, skipped, n, skipped,
                                       offset % block), name)
        for at in range(0, size, PIECE):
            check(crypto.EVP_EncryptUpdate(context, target + at, n,
                                           source + at,
                                           min(PIECE, size - at)), name)
    finally:
        crypto.EVP_CIPHER_CTX_free(context)
        crypto.EVP_CIPHER_free(cipher)


def randomize(data):
    """Fills `data` from the program's generator, which openssl.cnf sets."""
    address, size, _keep = memory(data, writable=True)
    crypto.ERR_clear_error()
    for at in range(0, size, PIECE):
        part = min(PIECE, size - at)
        check(crypto.RAND_bytes_ex(None, address + at, part, 0),
              "random bytes")
