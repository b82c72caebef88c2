"""OpenSSL's libcrypto through ctypes: ciphers, CMAC and CTR_DRBG, fetched by name from providers of a library
context of its own, which reads no openssl.cnf. Not for several threads.
"""
import ctypes
import ctypes.util

CTRL_SET_IV_BYTES, CTRL_GET_TAG, CTRL_SET_TAG = 0x9, 0x10, 0x11
FLAG_LENGTH_BITS = 0x2000
PARAM_UINT, PARAM_TEXT, PARAM_OCTETS = 2, 4, 5
WRAP_ALLOW = 1
BLOCK_ROOM = 32  # an update may write a block more than it takes


class CryptoError(Exception):
    """A call failed; the text is the first entry of OpenSSL's error queue."""


class Param(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("type", ctypes.c_uint), ("data", ctypes.c_void_p),
                ("size", ctypes.c_size_t), ("written", ctypes.c_size_t)]


def params(**values):
    """An array of OSSL_PARAM of int (unsigned), str or bytes, which keeps its buffers alive."""
    array = (Param * (len(values) + 1))()
    array.buffers = []
    for slot, (key, value) in zip(array, values.items()):
        if isinstance(value, int):
            buffer, kind, size = ctypes.c_uint(value), PARAM_UINT, ctypes.sizeof(ctypes.c_uint)
        else:
            kind = PARAM_TEXT if isinstance(value, str) else PARAM_OCTETS
            data = value.encode() if isinstance(value, str) else value
            buffer, size = ctypes.create_string_buffer(data, len(data) + 1), len(data)
        array.buffers.append(buffer)
        slot.key, slot.type, slot.size = key.encode(), kind, size
        slot.data = ctypes.addressof(buffer)
    return array


POINTER, TEXT, SIZE, INT, UINT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint
INT_OUT = ctypes.POINTER(INT)
PROTOTYPES = {
    "OSSL_LIB_CTX_new": (POINTER, []),
    "OSSL_PROVIDER_set_default_search_path": (INT, [POINTER, TEXT]),
    "OSSL_PROVIDER_load": (POINTER, [POINTER, TEXT]),
    "ERR_clear_error": (None, []),
    "ERR_get_error_all": (ctypes.c_ulong, [POINTER, POINTER, POINTER, ctypes.POINTER(TEXT), POINTER]),
    "ERR_reason_error_string": (TEXT, [ctypes.c_ulong]),
    "EVP_CIPHER_fetch": (POINTER, [POINTER, TEXT, TEXT]),
    "EVP_CIPHER_get_block_size": (INT, [POINTER]),
    "EVP_CIPHER_get_key_length": (INT, [POINTER]),
    "EVP_CIPHER_get_iv_length": (INT, [POINTER]),
    "EVP_CIPHER_free": (None, [POINTER]),
    "EVP_CIPHER_CTX_new": (POINTER, []),
    "EVP_CIPHER_CTX_free": (None, [POINTER]),
    "EVP_CIPHER_CTX_set_flags": (None, [POINTER, INT]),
    "EVP_CIPHER_CTX_set_padding": (INT, [POINTER, INT]),
    "EVP_CIPHER_CTX_clear_flags": (None, [POINTER, INT]),
    "EVP_CIPHER_CTX_set_flags": (None, [POINTER, INT]),
    "EVP_CIPHER_CTX_ctrl": (INT, [POINTER, INT, INT, POINTER]),
    "EVP_CipherInit_ex": (INT, [POINTER, POINTER, POINTER, TEXT, TEXT, INT]),
    "EVP_CipherUpdate": (INT, [POINTER, POINTER, INT_OUT, TEXT, INT]),
    "EVP_CipherFinal_ex": (INT, [POINTER, POINTER, INT_OUT]),
    "EVP_MAC_fetch": (POINTER, [POINTER, TEXT, TEXT]),
    "EVP_MAC_free": (None, [POINTER]),
    "EVP_MAC_CTX_new": (POINTER, [POINTER]),
    "EVP_MAC_CTX_free": (None, [POINTER]),
    "EVP_MAC_init": (INT, [POINTER, TEXT, SIZE, POINTER]),
    "EVP_MAC_update": (INT, [POINTER, TEXT, SIZE]),
    "EVP_MAC_final": (INT, [POINTER, POINTER, ctypes.POINTER(SIZE), SIZE]),
    "EVP_RAND_fetch": (POINTER, [POINTER, TEXT, TEXT]),
    "EVP_RAND_free": (None, [POINTER]),
    "EVP_RAND_CTX_new": (POINTER, [POINTER, POINTER]),
    "EVP_RAND_CTX_free": (None, [POINTER]),
    "EVP_RAND_CTX_set_params": (INT, [POINTER, POINTER]),
    "EVP_RAND_instantiate": (INT, [POINTER, UINT, INT, TEXT, SIZE, POINTER]),
    "EVP_RAND_generate": (INT, [POINTER, POINTER, SIZE, UINT, INT, TEXT, SIZE]),
    "EVP_RAND_reseed": (INT, [POINTER, INT, TEXT, SIZE, TEXT, SIZE]),
}


class Library:
    """libcrypto with the default provider and another one, and the properties that ciphers must have."""

    def __init__(self, properties, provider=None, folder=None):
        path = ctypes.util.find_library("crypto")
        if path is None:
            raise CryptoError("there is no libcrypto")
        self.call = ctypes.CDLL(path)
        try:
            for name, (result, arguments) in PROTOTYPES.items():
                function = getattr(self.call, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError as missing:
            raise CryptoError(f"{path} is not OpenSSL 3: {missing}") from None
        self.properties = properties.encode()
        self.context = self.call.OSSL_LIB_CTX_new()
        if folder is not None:
            self.call.OSSL_PROVIDER_set_default_search_path(self.context, folder.encode())
        for each in filter(None, ("default", provider)):
            self.need(self.call.OSSL_PROVIDER_load(self.context, each.encode()), f"provider {each} does not load")

    def need(self, result, what):
        """The result of a call that succeeded; else CryptoError with the queue's first entry that says more."""
        if result:
            return result
        reasons = []
        data = TEXT()
        while code := self.call.ERR_get_error_all(None, None, None, ctypes.byref(data), None):
            reason = (self.call.ERR_reason_error_string(code) or b"?").decode()
            detail = (data.value or b"").decode()
            reasons.append(f"{reason}: {detail}" if detail else reason)
        raise CryptoError(f"{what}: {reasons[0]}" if reasons else what)

    def fetch(self, kind, name, properties):
        self.call.ERR_clear_error()
        found = getattr(self.call, f"EVP_{kind}_fetch")(self.context, name.encode(), properties)
        if not found:
            self.call.ERR_clear_error()
            where = f" with {properties.decode()}" if properties else ""
            raise CryptoError(f"there is no {name}{where}")
        return found


class Cipher:
    """A cipher in a mode, and one message at a time: start, then update, then for GCM and CCM the tag."""

    def __init__(self, library, name):
        self.library, self.name = library, name
        self.cipher = library.fetch("CIPHER", name, library.properties)
        self.block_bytes = library.call.EVP_CIPHER_get_block_size(self.cipher)
        self.key_bytes = library.call.EVP_CIPHER_get_key_length(self.cipher)
        self.iv_bytes = library.call.EVP_CIPHER_get_iv_length(self.cipher)
        self.context = library.call.EVP_CIPHER_CTX_new()
        self.written = INT()

    def close(self):
        self.library.call.EVP_CIPHER_CTX_free(self.context)
        self.library.call.EVP_CIPHER_free(self.cipher)

    def start(self, encrypt, key, iv, tag=None, tag_bytes=None, length=None):
        """tag: what decryption in GCM and CCM compares; tag_bytes: what encryption in CCM makes; length of the
        text: CCM wants it before all else. Lengths are those of key and iv. iv: None is the mode's own (key wrapping)."""
        call, need = self.library.call, self.library.need
        aead = tag is not None or tag_bytes is not None
        if len(key) != self.key_bytes:
            raise CryptoError(f"{self.name} takes a key of {self.key_bytes} bytes, not {len(key)}")
        if not aead and iv is not None and len(iv) != self.iv_bytes:
            raise CryptoError(f"{self.name} takes an IV of {self.iv_bytes} bytes, not {len(iv)}")
        direction = 1 if encrypt else 0
        call.EVP_CIPHER_CTX_set_flags(self.context, WRAP_ALLOW)
        need(call.EVP_CipherInit_ex(self.context, self.cipher, None, None, None, direction), self.name)
        if aead:
            need(call.EVP_CIPHER_CTX_ctrl(self.context, CTRL_SET_IV_BYTES, len(iv), None), "length of the IV")
            if tag is not None:
                need(call.EVP_CIPHER_CTX_ctrl(self.context, CTRL_SET_TAG, len(tag), tag), "tag")
            elif length is not None:
                need(call.EVP_CIPHER_CTX_ctrl(self.context, CTRL_SET_TAG, tag_bytes, None), "length of the tag")
        need(call.EVP_CipherInit_ex(self.context, None, None, key, iv or None, direction), self.name)
        call.EVP_CIPHER_CTX_set_padding(self.context, 0)
        if length is not None:
            need(call.EVP_CipherUpdate(self.context, None, ctypes.byref(self.written), None, length), "length")

    def aad(self, data):
        if data:
            self.library.need(self.library.call.EVP_CipherUpdate(
                self.context, None, ctypes.byref(self.written), data, len(data)), "associated data")

    def update(self, data):
        """None: the tag is wrong (CCM says so here)."""
        out = ctypes.create_string_buffer(len(data) + BLOCK_ROOM)
        if self.library.call.EVP_CipherUpdate(self.context, out, ctypes.byref(self.written), data, len(data)) != 1:
            return None
        return out.raw[:self.written.value]

    def update_bits(self, data, bits):
        """CFB1: the size of an update is a number of bits."""
        call = self.library.call
        # A new init of the cipher keeps libcrypto's flag and forgets the cipher's: set means changed.
        call.EVP_CIPHER_CTX_clear_flags(self.context, FLAG_LENGTH_BITS)
        call.EVP_CIPHER_CTX_set_flags(self.context, FLAG_LENGTH_BITS)
        out = ctypes.create_string_buffer(len(data) + BLOCK_ROOM)
        if call.EVP_CipherUpdate(self.context, out, ctypes.byref(self.written), data, bits) != 1:
            return None
        return out.raw[:(self.written.value + 7) // 8]

    def final(self):
        """False: the tag is wrong, or a block is incomplete."""
        out = ctypes.create_string_buffer(BLOCK_ROOM)
        return self.library.call.EVP_CipherFinal_ex(self.context, out, ctypes.byref(self.written)) == 1

    def tag(self, length):
        out = ctypes.create_string_buffer(length)
        self.library.need(self.library.call.EVP_CIPHER_CTX_ctrl(self.context, CTRL_GET_TAG, length, out), "tag")
        return out.raw


def cmac(library, cipher, key, message):
    """The whole CMAC, a block long, over that cipher's CBC."""
    call, need = library.call, library.need
    mac = library.fetch("MAC", "CMAC", None)
    context = call.EVP_MAC_CTX_new(mac)
    try:
        options = params(cipher=cipher, properties=library.properties.decode())
        need(call.EVP_MAC_init(context, key, len(key), options), f"CMAC of {cipher}")
        need(call.EVP_MAC_update(context, message, len(message)), "CMAC")
        out, length = ctypes.create_string_buffer(64), SIZE()
        need(call.EVP_MAC_final(context, out, ctypes.byref(length), 64), "CMAC")
        return out.raw[:length.value]
    finally:
        call.EVP_MAC_CTX_free(context)
        call.EVP_MAC_free(mac)


class Drbg:
    """A generator of the library under TEST-RAND, which gives it the entropy input and nonce that are chosen."""

    def __init__(self, library, name, use_df, entropy, nonce, personalization):
        self.library, call = library, library.call
        self.own = library.fetch("RAND", name, library.properties)
        self.source = library.fetch("RAND", "TEST-RAND", None)
        self.parent = library.need(call.EVP_RAND_CTX_new(self.source, None), "TEST-RAND")
        self.give(test_entropy=entropy, strength=256)
        if nonce:
            self.give(test_nonce=nonce)
        library.need(call.EVP_RAND_instantiate(self.parent, 0, 0, None, 0, None), "TEST-RAND")
        self.context = library.need(call.EVP_RAND_CTX_new(self.own, self.parent), name)
        options = params(use_derivation_function=1 if use_df else 0)
        library.need(call.EVP_RAND_instantiate(self.context, 0, 0, personalization, len(personalization), options),
                     f"Instantiate of {name}")

    def close(self):
        for context in (self.context, self.parent):
            self.library.call.EVP_RAND_CTX_free(context)
        for fetched in (self.own, self.source):
            self.library.call.EVP_RAND_free(fetched)

    def give(self, **values):
        self.library.need(self.library.call.EVP_RAND_CTX_set_params(self.parent, params(**values)), "TEST-RAND")

    def reseed(self, entropy, additional):
        """The entropy input comes from the parent: one in the call would be mixed in before it."""
        self.give(test_entropy=entropy)
        self.library.need(self.library.call.EVP_RAND_reseed(
            self.context, 0, None, 0, additional, len(additional)), "Reseed")

    def generate(self, length, additional, entropy=None):
        """entropy: with prediction resistance, from that entropy input."""
        if entropy is not None:
            self.give(test_entropy=entropy)
        out = ctypes.create_string_buffer(length)
        self.library.need(self.library.call.EVP_RAND_generate(
            self.context, out, length, 0, 0 if entropy is None else 1, additional, len(additional)), "Generate")
        return out.raw
