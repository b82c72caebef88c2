"""Messages that are encrypted or decrypted in pieces."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any, Optional

from . import _crypto
from ._context import Context, as_tag_error
from .errors import ArgumentError, OperationError, UnsupportedError
from .memory import Memory, check_pair, new_bytes, view

if TYPE_CHECKING:
    from .cipher import Cipher


class Message:
    """One message in pieces, from Cipher.encryptor() or Cipher.decryptor().

    All pieces are in ordinary memory, or all in device memory; the first one decides.

    Decryption in GCM writes text that is not authenticated until finalize() has compared the tag. So it takes only
    update_into(), and the object holds on to the outputs: if the tag is wrong, if a call fails, or if the message is
    closed or forgotten before finalize(), all outputs are zeroed. A buffer that is used for every piece can be zeroed
    only as it is then: do not act on text that was copied from it before finalize() returned.

    Threads: calls from several threads run one after another.
    """

    def __init__(self, cipher: Cipher, iv: Optional[bytes], aad: Any, offset: int, encrypt: bool) -> None:
        self._context: Optional[Context] = None
        self._outputs: dict[tuple[int, int], Memory] = {}
        self._lock = threading.Lock()
        self._cipher, self._iv, self._offset, self._encrypt = cipher, iv, offset, encrypt
        self._pending = 0  # bytes of a block that is not complete, or of decryption's last block
        self._on_device: Optional[bool] = None
        self._done = False
        self._tag = b""
        self._aad = b""
        if aad is not None:
            with view(aad, "aad") as memory:
                if memory.on_device:
                    raise UnsupportedError("the aad of a message in pieces is in ordinary memory")
                self._aad = ctypes.string_at(memory.address, memory.size)
        # Refuses a wrong IV or offset now. Without data it is not yet known which memory the message is in.
        cipher._begun(iv, encrypt, False, offset=offset).close()

    @property
    def tag(self) -> bytes:
        """The tag of an encryption in GCM, after finalize()."""
        if not self._tag:
            raise ArgumentError("there is a tag after finalize() of an encryption in GCM")
        return self._tag

    def update(self, data: Any) -> bytes:
        """Encrypts or decrypts a piece. In ECB and CBC, bytes of a block that is not complete stay for the next one.

        Not for decryption in GCM: see update_into().
        """
        if self._cipher.is_aead and not self._encrypt:
            raise UnsupportedError(f"{self._cipher.name}: decrypted bytes could not be taken back if the tag is wrong: "
                                   "use update_into()")
        with self._lock, view(data, "data") as source:
            context = self._started(source.on_device)
            made, address = new_bytes(self._most(source.size))
            written = self._run(context, source, Memory(address, len(made), made))
        if written == len(made):
            return made
        result = made[:written]
        _crypto.cleanse(address, len(made))
        return result

    def update_into(self, data: Any, out: Any = None) -> int:
        """Encrypts or decrypts a piece into `out`, or in place, and returns how many bytes it wrote.

        In ECB and CBC, `out` has a block more than `data`, and in place the pieces are whole blocks without padding.
        """
        with self._lock, view(data, "data", writable=out is None) as source:
            self._check_open()
            if out is None:
                self._check_in_place(source.size)
                target = view(data, "data", writable=True)
            else:
                target = view(out, "out", writable=True)
            try:
                most = source.size if out is None else self._most(source.size)
                if target.size < most:
                    raise ArgumentError(
                        f"{self._cipher.name}: out has {target.size} bytes, and the call may write {most}")
                check_pair(source, target, source.size)
                if out is not None and source.address == target.address:
                    self._check_in_place(source.size)
                context = self._started(source.on_device or target.on_device)
                if self._cipher.is_aead and not self._encrypt:
                    target.size = source.size
                    self._outputs.setdefault((target.address, target.size), target)
                return self._run(context, source, target)
            finally:
                if self._outputs.get((target.address, target.size)) is not target:
                    target.close()

    def finalize(self, tag: Optional[bytes] = None) -> bytes:
        """Ends the message and returns the last bytes, which only ECB and CBC with padding have.

        Decryption in GCM takes the tag, and raises `InvalidTag` and zeroes all outputs if it is wrong. In ECB and CBC,
        raises `OperationError` if the padding is wrong or the data is no whole blocks.
        """
        decrypts_aead = self._cipher.is_aead and not self._encrypt
        with self._lock:
            self._check_open()
            if decrypts_aead != (tag is not None):
                raise ArgumentError("finalize() takes a tag in decryption with GCM, and only there")
            if tag is not None and len(tag) != self._cipher.tag_length:
                raise ArgumentError(f"the tag has {len(tag)} bytes, not {self._cipher.tag_length}")
            context = self._started(bool(self._on_device))
            made, address = new_bytes(2 * self._cipher.block_size)
            try:
                if tag is not None:
                    context.set_tag(bytes(tag))
                written = context.final(address)
                if self._cipher.is_aead and self._encrypt:
                    self._tag = context.tag(self._cipher.tag_length)
            except OperationError as error:
                self._abandon()
                raise (as_tag_error(error, self._cipher.name) if decrypts_aead else error) from None
            for output in self._outputs.values():
                output.close()
            self._outputs.clear()
            self._abandon()
        result = made[:written]
        _crypto.cleanse(address, len(made))
        return result

    def close(self) -> None:
        """Ends the message without finalize(); outputs that are not authenticated are zeroed."""
        with self._lock:
            self._abandon()

    def __enter__(self) -> Message:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_lock", None) is not None:
            self.close()

    def _check_open(self) -> None:
        if self._done:
            raise ArgumentError("the message has ended")

    def _abandon(self) -> None:
        self._done = True
        context, self._context = self._context, None
        outputs, self._outputs = list(self._outputs.values()), {}
        if context is not None:
            context.close()
        for output in outputs:
            self._cipher._wipe(output, output.size)
            output.close()

    def _started(self, on_device: bool) -> Context:
        self._check_open()
        if self._context is None:
            context = self._cipher._begun(self._iv, self._encrypt, on_device, offset=self._offset)
            aad, address = self._aad, ctypes.c_char_p(self._aad)
            try:
                context.add_aad(ctypes.cast(address, ctypes.c_void_p).value or 0, len(aad))
            except BaseException:
                context.close()
                raise
            self._context, self._on_device = context, on_device
        elif on_device and not self._on_device:
            raise ArgumentError("the message began in ordinary memory, and this piece is in device memory")
        return self._context

    def _most(self, size: int) -> int:
        block = self._cipher.block_size
        return (self._pending + size) // block * block

    def _check_in_place(self, size: int) -> None:
        block = self._cipher.block_size
        if block > 1 and (self._cipher._padding or self._pending or size % block):
            raise ArgumentError(f"{self._cipher.name}: in place the pieces are whole blocks of {block} bytes, and there"
                                " is no padding")

    def _run(self, context: Context, source: Memory, target: Memory) -> int:
        try:
            written = context.update(target.address, source.address, source.size)
        except OperationError:
            if context.wrote and not self._outputs:
                self._cipher._wipe(target, min(target.size, self._most(source.size)))
            self._abandon()
            raise
        self._pending += source.size - written
        return written
