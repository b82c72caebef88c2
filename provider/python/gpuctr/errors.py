"""The exceptions of the package: one tree, whose root is `Error`.

Every exception can carry the entries of OpenSSL's error queue in `reasons`.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence


class Reason(NamedTuple):
    """One entry of OpenSSL's error queue."""

    library: int
    """Number of the library (ERR_GET_LIB)."""
    number: int
    """Number of the reason (ERR_GET_REASON); gpuctr(7) lists those of the provider."""
    text: str
    """OpenSSL's text of the reason; empty if it has none, as for a module that did not load."""
    data: str
    """What the provider says of this case: the parameter, the sizes."""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.text, self.data))) or f"error {self.number}"


class Error(Exception):
    """Root of all exceptions of the package."""

    reasons: tuple[Reason, ...]
    """OpenSSL's error queue, oldest entry first; empty if OpenSSL gave no reason."""

    def __init__(self, message: str, reasons: Sequence[Reason] = ()) -> None:
        super().__init__("; ".join([message, *map(str, reasons)]))
        self.reasons = tuple(reasons)


class ProviderError(Error):
    """There is no libcrypto of OpenSSL 3 or later, or the module does not load."""


class UnsupportedError(Error):
    """There is no such cipher or generator, or its mode does not have this operation."""


class ArgumentError(Error, ValueError):
    """An argument has a value or a length that the call does not accept. Nothing was written."""


class OperationError(Error):
    """OpenSSL refused a call or failed; `reasons` says why."""


class InvalidTag(Error):
    """The tag does not belong to this key, nonce, associated data and text. The output is zeroed."""


class ArrayError(Error, ValueError):
    """Root of what is wrong with a buffer, an array or a tensor. Nothing was written."""


class ArrayTypeError(ArrayError, TypeError):
    """The object gives no memory, or memory that holds Python objects."""


class NotContiguousError(ArrayError):
    """The elements do not lie in memory one after another in C order."""


class ReadOnlyError(ArrayError):
    """The call writes, and the memory is read-only."""


class EmptyError(ArrayError):
    """An array or tensor has no elements. An empty bytes object is a valid message, an empty array is a mistake."""


class RequiresGradError(ArrayError):
    """The tensor is part of a graph of torch's autograd: pass `tensor.detach()`."""


class DeviceError(ArrayError):
    """The memory is on a device that this call cannot use."""
