"""Many messages in one call, each with its own key, IV and length: gpuctr(7), "Many messages"."""

from __future__ import annotations

import array
import contextlib
import ctypes
import threading
from typing import Any, Iterator, Optional, Sequence, Union

from . import _crypto
from ._context import Context
from .cipher import AEAD_MODES, _NONCE_BYTES, check_settings, counter_parameter, tag_length_of
from .errors import ArgumentError, OperationError, UnsupportedError
from .memory import Memory, check_pair, new_bytes, view
from .provider import Provider, default_provider

Numbers = Union[Sequence[int], Any]  # a sequence, or an array of integers of the size that the argument has

_OCTET_POINTER = 7  # OSSL_PARAM_OCTET_PTR
_REFUSED = (6, 55)  # "input and output overlap partly", "a batch of messages that cannot be made"
_NOT_WRITTEN = 255
_LARGEST = (1 << 31) - 1  # an update takes an int


class Batch:
    """Keys of a cipher in CTR, CBC, GCM or CCM, for many messages a call: `Batch("LEA-128-GCM", keys, key_length=16)`.

    Arguments:
        name: name of the cipher with its mode, in letters of any case. Older ciphers have no batches.
        keys: bytes-like, K keys of `key_length` bytes one after the other, such as a numpy array of shape
            (K, key_length) and type uint8. The object keeps a copy, which close() wipes; it is expanded once.
        iv_length: GCM (1 to 128) and CCM (7 to 13) only: bytes of an IV, by default 12.
        tag_length: GCM decryption (1 to 16) and CCM (4 to 16, even): bytes of a tag, by default 16.
        ctr_bits: CTR only: width of the counter in bits, by default the whole block.
        provider: by default one that all ciphers share; `Provider(threads=...)` has more threads for large batches.

    The methods take a batch of N messages as arrays:
        ivs: bytes-like, N IVs of `iv_length` bytes. No IV may be used twice under a key.
        data: bytes-like, array or tensor with the texts. At most 2^31 - 1 bytes.
        tags: GCM and CCM: bytes-like, N tags of `tag_length` bytes. seal_into() writes them.
        lengths: N integers, or an array of N of 32 bits: bytes of each text. By default all texts have the same length.
        offsets: N integers, or an array of N of 64 bits: where each text begins in `data` and in `out`, in bytes. By
            default one text follows the other.
        index: N integers, or an array of N of 32 bits: the number of each message's key. By default message i has key
            i if there are several keys.
        aad: GCM and CCM: bytes-like, the associated data of all messages, one after the other.
        aad_lengths: one integer for all, or N as in `lengths`. By default all have the same length.
        out: writable, of the size of `data`; by default the call works in place.

    Threads: calls from several threads run one after another.

    Every method raises a subclass of `gpuctr.Error`: `ArgumentError` for arrays and numbers that make no batch.
    A call that is refused writes nothing.
    """

    def __init__(self, name: str, keys: Any, *, key_length: Optional[int] = None, iv_length: Optional[int] = None,
                 tag_length: Optional[int] = None, ctr_bits: Optional[int] = None,
                 provider: Optional[Provider] = None) -> None:
        self._contexts: dict[bool, Context] = {}
        self._lock = threading.Lock()
        self._provider = provider if provider is not None else default_provider()
        self._name, self._mode, usual, self._iv_length, _ = self._provider.cipher_info(name)
        if self._mode not in ("CTR", "CBC", "GCM", "CCM"):
            raise UnsupportedError(f"{self._name} has no batches: CTR, CBC, GCM and CCM have")
        aead = self._mode in AEAD_MODES
        check_settings(self._name, ("iv_length", iv_length, aead), ("tag_length", tag_length, aead),
                       ("ctr_bits", ctr_bits, self._mode == "CTR"))
        if aead:
            self._iv_length = 12 if iv_length is None else iv_length
            least, most = _NONCE_BYTES[self._mode]
            if not least <= self._iv_length <= most:
                raise ArgumentError(f"{self._name}: an IV has {least} to {most} bytes, not {iv_length}")
        self._tag_length = tag_length_of(self._name, self._mode, tag_length)
        self._parameters = counter_parameter(self._name, ctr_bits)
        self._key_length = usual if key_length is None else key_length
        with view(keys, "keys") as memory:
            if memory.on_device:
                raise ArgumentError("the keys are in device memory, and this object keeps them in ordinary memory")
            if self._key_length <= 0 or memory.size == 0 or memory.size % self._key_length:
                raise ArgumentError(f"{self._name}: keys has {memory.size} bytes, and a key {self._key_length}")
            self._keys = ctypes.create_string_buffer(memory.size)
            self._wipe_keys = _crypto.wiper(self._keys)
            ctypes.memmove(self._keys, memory.address, memory.size)
        self._count = len(self._keys) // self._key_length
        try:
            self._context(False, True)  # refuses a wrong length or parameter
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """OpenSSL's first name of the cipher, such as "LEA-128-GCM"."""
        return self._name

    @property
    def key_count(self) -> int:
        """How many keys there are: K."""
        return self._count

    @property
    def iv_length(self) -> int:
        """Bytes of each IV."""
        return self._iv_length

    @property
    def tag_length(self) -> int:
        """Bytes of each tag; 0 if the mode has none."""
        return self._tag_length

    def seal_into(self, ivs: Any, data: Any, tags: Any, *, lengths: Optional[Numbers] = None,
                  offsets: Optional[Numbers] = None, index: Optional[Numbers] = None, aad: Any = None,
                  aad_lengths: Optional[Numbers] = None, out: Any = None) -> None:
        """GCM and CCM: encrypts N messages, and writes N tags to `tags`, which is writable. GCM's have 16 bytes."""
        self._need(True, "encrypt_into()")
        if self._mode == "GCM" and self._tag_length != 16:
            raise UnsupportedError(f"{self._name}: encryption makes tags of 16 bytes, of which any number may be cut off")
        self._run(True, ivs, data, out, lengths, offsets, index, aad, aad_lengths, tags)

    def open_into(self, ivs: Any, data: Any, tags: Any, *, lengths: Optional[Numbers] = None,
                  offsets: Optional[Numbers] = None, index: Optional[Numbers] = None, aad: Any = None,
                  aad_lengths: Optional[Numbers] = None, out: Any = None) -> bytes:
        """GCM and CCM: checks and decrypts N messages. Returns N bytes: 1 for a good message, 0 for a wrong tag.

        The text of a wrong message is zeros, in place too; all others are decrypted. A wrong tag raises nothing.
        """
        self._need(True, "decrypt_into()")
        return self._run(False, ivs, data, out, lengths, offsets, index, aad, aad_lengths, tags)

    def encrypt_into(self, ivs: Any, data: Any, *, lengths: Optional[Numbers] = None,
                     offsets: Optional[Numbers] = None, index: Optional[Numbers] = None, out: Any = None) -> None:
        """CTR and CBC: encrypts N messages. CBC takes whole blocks and adds no padding."""
        self._need(False, "seal_into()")
        self._run(True, ivs, data, out, lengths, offsets, index)

    def decrypt_into(self, ivs: Any, data: Any, *, lengths: Optional[Numbers] = None,
                     offsets: Optional[Numbers] = None, index: Optional[Numbers] = None, out: Any = None) -> None:
        """CTR and CBC: decrypts N messages. Nothing authenticates them."""
        self._need(False, "open_into()")
        self._run(False, ivs, data, out, lengths, offsets, index)

    def close(self) -> None:
        """Wipes the keys. Every later call raises `ArgumentError`."""
        with self._lock:
            contexts, self._contexts = list(self._contexts.values()), {}
            for context in contexts:
                context.close()
            wipe_keys, self._count = getattr(self, "_wipe_keys", None), 0
            if wipe_keys is not None:
                wipe_keys()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_lock", None) is not None:
            self.close()

    def _need(self, aead: bool, other: str) -> None:
        if (self._mode in AEAD_MODES) != aead:
            raise UnsupportedError(f"{self._name}: use {other}")

    def _context(self, on_device: bool, encrypt: bool) -> Context:
        """A context that has the keys, and the table that the provider made of them."""
        context = self._contexts.get(on_device)
        if context is None:
            context = Context(self._provider._for(on_device), self._name)
            try:
                aead = self._mode in AEAD_MODES
                cut = self._mode == "GCM" and self._tag_length != 16
                context.init(None, self._key_length, None, not cut, iv_bytes=self._iv_length if aead else None,
                             tag_bytes=self._tag_length if self._mode == "CCM" or cut else None,
                             tag=bytes(self._tag_length) if cut else None,
                             parameters=self._parameters)
                self._set(context, {"batch-keys": (ctypes.addressof(self._keys), len(self._keys))})
            except BaseException:
                context.close()
                raise
            self._contexts[on_device] = context
        context.need(context.crypto.EVP_CipherInit_ex2(context._context, None, None, None, encrypt, None))
        return context

    def _set(self, context: Context, arrays: dict[str, tuple[int, int]], count: int = 0) -> None:
        """Sets octet pointers, and the number of messages."""
        pointers = [ctypes.c_void_p(address) for address, _ in arrays.values()]
        messages = ctypes.c_size_t(count)
        params = (_crypto.Param * (len(arrays) + 2))()
        for param, (name, (_, size)), pointer in zip(params, arrays.items(), pointers):
            param.key, param.type, param.size = name.encode(), _OCTET_POINTER, size
            param.data = ctypes.addressof(pointer)
        params[len(arrays)] = _crypto.Param(b"batch-messages", _crypto.PARAM_UNSIGNED, ctypes.addressof(messages),
                                            ctypes.sizeof(messages), 0)
        context.need(context.crypto.EVP_CIPHER_CTX_set_params(context._context, params))

    def _run(self, encrypt: bool, ivs: Any, data: Any, out: Any, lengths: Any, offsets: Any, index: Any,
             aad: Any = None, aad_lengths: Any = None, tags: Any = None) -> bytes:
        with contextlib.ExitStack() as stack:
            def memory(array_of: Any, role: str, writable: bool = False) -> Memory:
                return stack.enter_context(view(array_of, role, writable))

            def numbers(values: Any, role: str, size: int) -> Memory:
                return stack.enter_context(_numbers(values, role, size, count))

            iv = memory(ivs, "ivs")
            count = iv.size // self._iv_length
            if count * self._iv_length != iv.size or count == 0:
                raise ArgumentError(f"{self._name}: ivs has {iv.size} bytes, and an IV {self._iv_length}")
            if index is None and self._count > 1 and self._count != count:
                raise ArgumentError(f"{self._name}: {count} messages and {self._count} keys: pass index")
            source = memory(data, "data", out is None)
            target = source if out is None else memory(out, "out", True)
            if target.size < source.size or source.size > _LARGEST:
                raise ArgumentError(f"{self._name}: data has {source.size} bytes, out {target.size}, at most {_LARGEST}")
            check_pair(source, target, source.size)
            if index is None and self._count == 1:
                index = bytes(4 * count)
            given = {"batch-ivs": iv}
            for name, values, size in (("batch-lengths", lengths, 4), ("batch-offsets", offsets, 8),
                                       ("batch-key-index", index, 4)):
                given[name] = Memory(0, 0, None) if values is None else numbers(values, name[6:], size)
            if tags is not None:
                given["batch-tags"] = memory(tags, "tags", encrypt)
                given["batch-aad"] = memory(b"" if aad is None else aad, "aad")
                if isinstance(aad_lengths, int):
                    aad_lengths = [aad_lengths] * count
                given["batch-aad-lengths"] = (Memory(0, 0, None) if aad_lengths is None
                                              else numbers(aad_lengths, "aad_lengths", 4))
            results, address = new_bytes(count)
            ctypes.memset(address, _NOT_WRITTEN, count)
            given["batch-results"] = Memory(address, count, results)
            on_device = source.on_device or target.on_device or any(m.on_device for m in given.values())
            with self._lock:
                self._update(on_device, encrypt, given, count, source, target, results)
            return results

    def _update(self, on_device: bool, encrypt: bool, given: dict[str, Memory], count: int, source: Memory,
                target: Memory, results: bytes) -> None:
        if self._count == 0:
            raise ArgumentError(f"{self._name}: the keys are wiped")
        context = self._context(on_device, encrypt)
        arrays = {name: (m.address if m.size else 0, m.size) for name, m in given.items()}
        try:
            self._set(context, arrays, count)
            context.need(context.crypto.EVP_CipherUpdate(context._context, target.address, context._written_at,
                                                         source.address, source.size))
        except OperationError as error:
            if results[0] != _NOT_WRITTEN:
                return  # wrong tags
            if any(reason.number in _REFUSED for reason in error.reasons):
                raise ArgumentError(self._name, error.reasons) from None
            raise


@contextlib.contextmanager
def _numbers(values: Any, role: str, size: int, count: int) -> Iterator[Memory]:
    """`count` integers of `size` bytes each."""
    if isinstance(values, (list, tuple, range)):
        try:
            values = array.array("I" if size == 4 else "Q", values)
        except (OverflowError, TypeError) as error:
            raise ArgumentError(f"{role}: {error}") from error
    with view(values, role) as memory:
        if memory.size != size * count:
            raise ArgumentError(f"{role} has {memory.size} bytes, and {count} numbers of {8 * size} bits have "
                                f"{size * count}")
        yield memory
