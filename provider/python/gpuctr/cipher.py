"""Ciphers: whole messages in one call. message.py has messages in pieces."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from sys import is_finalizing
from typing import Any, Iterator, NoReturn, Optional

from . import _crypto
from ._context import Context, as_tag_error, zero_device
from .errors import ArgumentError, OperationError, UnsupportedError
from .memory import Memory, check_pair, new_bytes, view
from .message import Message
from .provider import Provider, default_provider

AEAD_MODES = ("GCM", "CCM", "GCM-SIV")
_NONCE_BYTES = {"GCM": (1, 128), "CCM": (7, 13), "GCM-SIV": (12, 12)}
_TAG_BYTES = {"GCM": tuple(range(1, 17)), "CCM": tuple(range(4, 17, 2)), "GCM-SIV": (16,)}
_LARGEST = {"CCM": (1 << 31) - 1, "GCM-SIV": 1 << 30}  # modes that take their text in one update


class Cipher:
    """A cipher of gpuctr in one mode, with a key: `Cipher("LEA-256-GCM", key)`.

    Data is anything with contiguous memory: bytes-like objects, numpy arrays, PyTorch tensors, and through
    `__cuda_array_interface__` or DLPack the arrays of CuPy, Numba and JAX. Of an array, its bytes in memory are
    encrypted, whatever their type; all sizes are in bytes. Data in device memory stays there: modes CTR, GCM, ECB
    without padding, and decryption in CBC without padding. Work on device memory starts after the work that is queued
    in the array's current stream, and is complete when the call returns.

    Arguments:
        name: name of the cipher with its mode, in letters of any case; `Provider.ciphers()` lists them.
        key: bytes-like. The object keeps a copy, which close() wipes.
        padding: ECB and CBC only: PKCS padding, by default True. Without it, data is whole blocks.
        tag_length: GCM (1 to 16), CCM (4 to 16, even) and GCM-SIV (16) only: bytes of the tag, by default 16.
        ctr_bits: CTR only: width of the counter in bits, by default the whole block.
        tweak: Threefish only: 16 bytes.
        provider: by default one that all ciphers share.

    Threads: any number of threads may use one object at the same time; each call has an OpenSSL context of its own.

    Every method raises a subclass of `gpuctr.Error`. A call that is refused writes nothing. A call that fails after it
    began to write zeroes its output, and so does decryption whose tag or padding is wrong, also in place: then the
    ciphertext is gone as well.
    """

    def __init__(self, name: str, key: Any, *, padding: Optional[bool] = None, tag_length: Optional[int] = None,
                 ctr_bits: Optional[int] = None, tweak: Optional[bytes] = None,
                 provider: Optional[Provider] = None) -> None:
        self._closed = True
        self._lock = threading.Lock()
        self._provider = provider if provider is not None else default_provider()
        library = self._provider._for(False)
        self._cleanse = library.crypto.OPENSSL_cleanse
        self._name, self._mode, _, self._iv_length, self._block_size = self._provider.cipher_info(name)
        check_settings(
            self._name,
            ("padding", padding, self._mode in ("ECB", "CBC")), ("tag_length", tag_length, self.is_aead),
            ("ctr_bits", ctr_bits, self._mode == "CTR"), ("tweak", tweak, self._name.startswith("THREEFISH")),
        )
        self._padding = self._mode in ("ECB", "CBC") and padding is not False
        self._tag_length = tag_length_of(self._name, self._mode, tag_length)
        self._parameters: dict[str, _crypto.Value] = {}
        if self._mode in ("ECB", "CBC"):
            self._parameters["padding"] = int(self._padding)
        self._parameters.update(counter_parameter(self._name, ctr_bits))
        if tweak is not None:
            self._parameters["tweak"] = bytes(tweak)
        self._ctr_bits = ctr_bits
        with view(key, "key") as memory:
            if memory.on_device:
                raise ArgumentError("the key is in device memory, and OpenSSL takes ordinary memory")
            self._key_length = memory.size
            self._key = ctypes.create_string_buffer(max(memory.size, 1))
            self._wipe_key = _crypto.wiper(self._key)
            ctypes.memmove(self._key, memory.address, memory.size)
        self._closed = False
        try:
            with Context(library, self._name) as context:  # refuses a wrong key or parameter
                self._init(context, None, True, None)
        except BaseException:
            self.close()
            raise

    # What it is

    @property
    def name(self) -> str:
        """OpenSSL's first name of the cipher, such as "LEA-256-GCM"."""
        return self._name

    @property
    def mode(self) -> str:
        """"ECB", "CBC", "CFB" (also of CFB8 and CFB1), "OFB", "CTR", "GCM", "CCM" or "GCM-SIV"."""
        return self._mode

    @property
    def is_aead(self) -> bool:
        """Whether the mode authenticates: GCM, CCM and GCM-SIV, which have seal() and open()."""
        return self._mode in AEAD_MODES

    @property
    def key_length(self) -> int:
        """Bytes of the key."""
        return self._key_length

    @property
    def iv_length(self) -> int:
        """Bytes of the IV in CTR and CBC; the usual ones of a nonce in GCM (12, of 1 to 128) and CCM (12, of 7 to
        13); 12 in GCM-SIV; 0 in ECB."""
        return self._iv_length

    @property
    def tag_length(self) -> int:
        """Bytes of the tag; 0 if the mode has none."""
        return self._tag_length

    @property
    def block_size(self) -> int:
        """Data is a multiple of so many bytes, or is padded to it: 1 in CTR, GCM, CCM and GCM-SIV."""
        return self._block_size

    def backend(self) -> str:
        """Which backend serves short messages on this machine: "scalar" or a vector unit such as "avx2"."""
        data, address = new_bytes(64 * max(self._block_size, 16))
        iv = None if self._mode == "ECB" else bytes(self.iv_length)
        with self._begun(iv, True, False) as context:
            if self._mode == "CCM":
                context.announce(len(data))
            context.update(address, address, len(data))
            return context.text("backend")

    # Modes that authenticate

    def seal(self, nonce: bytes, data: Any, aad: Any = None) -> bytes:
        """Encrypts and authenticates. Returns the ciphertext and behind it the tag: `len(data) + tag_length` bytes.

        GCM, CCM and GCM-SIV. `nonce` must never be used twice under a key. `aad`, bytes-like, is authenticated and not
        encrypted. A message has at most 2^36 - 32 bytes in GCM and 2^31 - 1 here in CCM.
        """
        self._need_aead("seal")
        with view(data, "data") as source:
            made, address = new_bytes(source.size + self._tag_length)
            target = Memory(address, len(made), made)
            tag = self._aead(nonce, source, target, aad, None)
            ctypes.memmove(address + source.size, tag, len(tag))
        return made

    def open(self, nonce: bytes, sealed: Any, aad: Any = None) -> bytes:
        """Checks and decrypts what seal() made. Returns the text: `len(sealed) - tag_length` bytes.

        Raises `InvalidTag` if key, nonce, `aad`, ciphertext or tag differ from those of seal().
        """
        self._need_aead("open")
        with view(sealed, "sealed") as source:
            size = source.size - self._tag_length
            if size < 0:
                raise ArgumentError(f"{self._name}: sealed has {source.size} bytes, and its tag has {self._tag_length}")
            if source.on_device:
                raise UnsupportedError("sealed is in device memory: pass its text and its tag to open_into()")
            tag = ctypes.string_at(source.address + size, self._tag_length)
            made, address = new_bytes(size)
            self._aead(nonce, Memory(source.address, size, sealed), Memory(address, size, made), aad, tag)
        return made

    def seal_into(self, nonce: bytes, data: Any, out: Any = None, *, aad: Any = None) -> bytes:
        """Encrypts `data` into the first `data` many bytes of `out`, or in place, and returns the tag.

        The caller owns both buffers. They are the same one, or do not touch. Without `out`, `data` must be writable.
        """
        self._need_aead("seal_into")
        with self._pair(data, out) as (source, target):
            return self._aead(nonce, source, target, aad, None)

    def open_into(self, nonce: bytes, data: Any, tag: bytes, out: Any = None, *, aad: Any = None) -> None:
        """Checks and decrypts `data` into `out`, or in place.

        If the tag is wrong, it raises `InvalidTag` and zeroes the output, in place too: keep the ciphertext elsewhere
        if it may be needed again. Until the call returns, the output holds text that is not authenticated.
        """
        self._need_aead("open_into")
        tag = bytes(tag)
        if len(tag) != self._tag_length:
            raise ArgumentError(f"{self._name}: the tag has {len(tag)} bytes, not {self._tag_length}")
        with self._pair(data, out) as (source, target):
            self._aead(nonce, source, target, aad, tag)

    # Modes that do not

    def encrypt(self, iv: Optional[bytes], data: Any, *, offset: int = 0) -> bytes:
        """Encrypts in CTR, CBC or ECB and returns the ciphertext. `iv` is None in ECB.

        The result is as long as `data`; with padding it is longer, by 1 to `block_size` bytes. `offset`, CTR only, is
        the position of `data` within its message, in bytes. Nothing authenticates the data.
        """
        return self._to_bytes(iv, data, True, offset)

    def decrypt(self, iv: Optional[bytes], data: Any, *, offset: int = 0) -> bytes:
        """Decrypts in CTR, CBC or ECB and returns the text. Raises `OperationError` if the padding is wrong."""
        return self._to_bytes(iv, data, False, offset)

    def encrypt_into(self, iv: Optional[bytes], data: Any, out: Any = None, *, offset: int = 0) -> int:
        """Encrypts `data` into `out`, or in place, and returns how many bytes it wrote.

        With padding, `out` is needed: it has at least as many bytes as encrypt() would return.
        """
        return self._to_memory(iv, data, out, True, offset)

    def decrypt_into(self, iv: Optional[bytes], data: Any, out: Any = None, *, offset: int = 0) -> int:
        """Decrypts `data` into `out`, or in place, and returns how many bytes it wrote.

        `out` has at least as many bytes as `data`. Wrong padding raises `OperationError` and zeroes the output.
        """
        return self._to_memory(iv, data, out, False, offset)

    # Messages in pieces

    def encryptor(self, iv: Optional[bytes], *, aad: Any = None, offset: int = 0) -> Message:
        """A message that is encrypted in pieces; every mode but CCM and XTS, whose text comes in one call."""
        return self._message(iv, aad, offset, True)

    def decryptor(self, iv: Optional[bytes], *, aad: Any = None, offset: int = 0) -> Message:
        """A message that is decrypted in pieces; every mode but CCM and XTS. In GCM, finalize() takes the tag."""
        return self._message(iv, aad, offset, False)

    # Life

    def close(self) -> None:
        """Wipes the key. Later calls raise ArgumentError; messages in pieces that were begun go on."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._wipe_key()

    def __enter__(self) -> Cipher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Cipher holds a key and is not pickled: make one in each process")

    def __repr__(self) -> str:
        return f"<gpuctr.Cipher {self._name}>"

    # The work

    def _need_aead(self, call: str) -> None:
        if not self.is_aead:
            other = "encrypt" if call.startswith("seal") else "decrypt"
            raise UnsupportedError(f"{self._name} does not authenticate, so it has no {call}(): use {other}()")

    def _need_plain(self, encrypt: bool) -> None:
        if self.is_aead:
            raise UnsupportedError(f"{self._name} authenticates: use {'seal' if encrypt else 'open'}()")

    def _checked_iv(self, iv: Optional[bytes]) -> Optional[bytes]:
        if self._mode == "ECB":
            if iv is not None:
                raise ArgumentError(f"{self._name} has no IV: pass None")
            return None
        if iv is None:
            raise ArgumentError(f"{self._name} needs an IV")
        try:
            made = memoryview(iv).tobytes()
        except TypeError:
            raise ArgumentError(f"the IV is bytes, not {type(iv).__name__}") from None
        least, most = _NONCE_BYTES.get(self._mode, (self._iv_length, self._iv_length))
        if not least <= len(made) <= most:
            takes = str(least) if least == most else f"{least} to {most}"
            raise ArgumentError(f"{self._name}: the IV has {len(made)} bytes, not {takes}")
        return made

    def _init(self, context: Context, iv: Optional[bytes], encrypt: bool, tag: Optional[bytes]) -> None:
        with self._lock:
            if self._closed:
                raise ArgumentError("the cipher is closed")
            context.init(self._key, self._key_length, iv, encrypt, parameters=self._parameters, tag=tag,
                         iv_bytes=len(iv) if iv is not None and self.is_aead else None,
                         tag_bytes=self._tag_length if self._mode == "CCM" else None)

    def _begun(self, iv: Optional[bytes], encrypt: bool, on_device: bool, tag: Optional[bytes] = None,
               offset: int = 0) -> Context:
        iv = self._checked_iv(iv)
        if offset != 0:
            if self._mode != "CTR" or offset < 0:
                raise ArgumentError(f"{self._name}: offset {offset}: only CTR has one, from 0 on")
            iv, used = self._at(iv or b"", offset)
        context = Context(self._provider._for(on_device), self._name)
        try:
            self._init(context, iv, encrypt, tag)
            if offset != 0 and used != 0:
                context.set("num", used)
        except BaseException:
            context.close()
            raise
        return context

    def _at(self, iv: bytes, offset: int) -> tuple[bytes, int]:
        """The counter block at `offset`, and how many bytes of its keystream lie before it."""
        ecb = self._provider.cipher_info(self._name.rpartition("-")[0] + "-ECB")
        block = ecb.block_size
        bits = self._ctr_bits or 8 * len(iv)
        start = int.from_bytes(iv, "big")
        low = (start % (1 << bits)) + offset // block
        if block > len(iv) and low >> bits:
            raise ArgumentError(f"{self._name}: offset {offset} is past the last counter that an IV can name")
        counter = (start >> bits << bits) + low % (1 << bits)
        return counter.to_bytes(len(iv), "big"), offset % block

    def _wipe(self, memory: Memory, size: int) -> None:
        if not memory.on_device:
            self._cleanse(memory.address, size)
            return
        try:
            zero_device(self._provider._for(False), self._provider._for(True), self._name.rpartition("-")[0],
                        memory.address, size)
        except (AttributeError, TypeError):
            if not is_finalizing():  # when modules have lost their names; the process's device memory ends with it
                raise

    @contextlib.contextmanager
    def _pair(self, data: Any, out: Any, room: int = 0) -> Iterator[tuple[Memory, Memory]]:
        """The memory of both, of which `out`, if it is not None, has the size of `data` and `room` more bytes."""
        with view(data, "data", writable=out is None) as source:
            if out is None:
                yield source, source
                return
            with view(out, "out", writable=True) as target:
                if target.size < source.size + room:
                    raise ArgumentError(f"{self._name}: out has {target.size} bytes, and the call writes"
                                        f" {source.size + room}")
                check_pair(source, target, source.size)
                yield source, target

    def _aead(self, nonce: bytes, source: Memory, target: Memory, aad: Any, tag: Optional[bytes]) -> bytes:
        """Encrypts, or decrypts if there is a tag, all of `source`; returns the tag."""
        size, encrypt = source.size, tag is None
        if size > _LARGEST.get(self._mode, size):
            raise ArgumentError(f"{self._name}: the text has {size} bytes, at most {_LARGEST[self._mode]}")
        with view(b"" if aad is None else aad, "aad") as more:
            on_device = source.on_device or target.on_device or more.on_device
            with self._begun(nonce, encrypt, on_device, tag if self._mode == "CCM" else None) as context:
                if self._mode == "CCM":
                    context.announce(size)
                context.add_aad(more.address, more.size)
                if tag is not None and self._mode != "CCM":
                    context.set_tag(tag)
                try:
                    context.update(target.address, source.address, size)
                    context.final(target.address)
                    return context.tag(self._tag_length) if encrypt else b""
                except OperationError as error:
                    failure = error if encrypt else as_tag_error(error, self._name)
                    if context.wrote or failure is not error:
                        self._wipe(target, size)
                    raise failure from None

    def _crypt(self, context: Context, source: Memory, target: Memory) -> int:
        try:
            written = context.update(target.address, source.address, source.size)
            if self._block_size > 1:
                written += context.final(target.address + written)
            return written
        except OperationError:
            if context.wrote:
                self._wipe(target, min(target.size, source.size + self._block_size))
            raise

    def _room(self, size: int, encrypt: bool) -> int:
        """How many bytes padding adds; refuses sizes that are no whole blocks."""
        block, rest = self._block_size, size % self._block_size
        if self._padding and encrypt:
            return block - rest
        if rest != 0 or (self._padding and size == 0):
            what = "decryption with padding takes one block or more" if self._padding else "without padding data is"
            raise ArgumentError(f"{self._name}: {what} whole blocks of {block} bytes, not {size} bytes")
        return 0

    def _to_bytes(self, iv: Optional[bytes], data: Any, encrypt: bool, offset: int) -> bytes:
        self._need_plain(encrypt)
        with view(data, "data") as source:
            made, address = new_bytes(source.size + self._room(source.size, encrypt))
            with self._begun(iv, encrypt, source.on_device, offset=offset) as context:
                written = self._crypt(context, source, Memory(address, len(made), made))
        if written == len(made):
            return made
        result = made[:written]
        _crypto.cleanse(address, len(made))
        return result

    def _to_memory(self, iv: Optional[bytes], data: Any, out: Any, encrypt: bool, offset: int) -> int:
        self._need_plain(encrypt)
        with view(data, "data", writable=out is None) as source:
            room = self._room(source.size, encrypt)
        if out is None and room != 0:
            raise ArgumentError(f"{self._name}: in place there is no room for padding: pass out, or padding=False")
        with self._pair(data, out, room) as (source, target):
            with self._begun(iv, encrypt, source.on_device or target.on_device, offset=offset) as context:
                return self._crypt(context, source, target)

    def _message(self, iv: Optional[bytes], aad: Any, offset: int, encrypt: bool) -> Message:
        if self._mode == "XTS":
            raise UnsupportedError(f"{self._name} takes a data unit in one call: use encrypt() or decrypt()")
        if self._mode in _LARGEST:
            raise UnsupportedError(f"{self._name} takes its text in one call: use seal() and open()")
        if aad is not None and not self.is_aead:
            raise UnsupportedError(f"{self._name} does not authenticate, so it has no aad")
        return Message(self, iv, aad, offset, encrypt)


def check_settings(name: str, *settings: tuple[str, object, bool]) -> None:
    """Refuses a setting that the mode lacks. Each is its name, its value or None, and whether the mode has it."""
    for setting, value, fits in settings:
        if value is not None and not fits:
            raise UnsupportedError(f"{name} has no {setting}")


def counter_parameter(name: str, ctr_bits: Optional[int]) -> dict[str, _crypto.Value]:
    """The provider's parameter of this width of the counter. The provider refuses numbers that it has no width for."""
    if ctr_bits is None:
        return {}
    if not 0 <= ctr_bits < 1 << 31:
        raise ArgumentError(f"{name}: ctr_bits is {ctr_bits}")
    return {"ctr-bits": ctr_bits}


def tag_length_of(name: str, mode: str, tag_length: Optional[int]) -> int:
    """Bytes of a tag: those that were asked for, by default 16; 0 if the mode has none."""
    if mode not in AEAD_MODES:
        return 0
    wanted = 16 if tag_length is None else tag_length
    if wanted not in _TAG_BYTES[mode]:
        raise ArgumentError(f"{name}: a tag has {_listed(_TAG_BYTES[mode])} bytes, not {tag_length}")
    return wanted


def _listed(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return str(numbers[0])
    return f"{numbers[0]} to {numbers[-1]}" + (", an even number of" if numbers[1] - numbers[0] == 2 else "")
