"""Addresses of buffers, arrays and tensors, or one clear exception.

Host memory comes from the buffer protocol, device memory from `__cuda_array_interface__`, PyTorch's tensors from their
own methods, and other arrays from DLPack. Nothing is copied.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from types import TracebackType
from typing import Any, Callable, Optional

from .errors import (ArgumentError, ArrayTypeError, DeviceError, EmptyError, NotContiguousError, ReadOnlyError,
                     RequiresGradError)

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType


class _PyBuffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
                ("internal", ctypes.c_void_p)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_PyBUF_STRIDES = 0x18
_api = ctypes.pythonapi
_get_buffer = _api.PyObject_GetBuffer
_get_buffer.restype, _get_buffer.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_release_buffer = _api.PyBuffer_Release
_release_buffer.restype, _release_buffer.argtypes = None, [ctypes.POINTER(_PyBuffer)]
_is_contiguous = _api.PyBuffer_IsContiguous
_is_contiguous.restype, _is_contiguous.argtypes = ctypes.c_int, [ctypes.POINTER(_PyBuffer), ctypes.c_char]
_capsule_pointer = _api.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_new_bytes = _api.PyBytes_FromStringAndSize
_new_bytes.restype, _new_bytes.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_ssize_t]
_bytes_address = _api.PyBytes_AsString
_bytes_address.restype, _bytes_address.argtypes = ctypes.c_void_p, [ctypes.py_object]


class Memory:
    """Contiguous memory: its address and its size in bytes, valid until close()."""

    __slots__ = ("address", "size", "on_device", "device", "_keep", "_release")

    def __init__(self, address: int, size: int, keep: Any, *, device: Optional[int] = None, on_device: bool = False,
                 release: Optional[Callable[[], None]] = None) -> None:
        self.address, self.size, self.on_device, self.device = address, size, on_device, device
        self._keep, self._release = keep, release

    def close(self) -> None:
        release, self._release, self._keep = self._release, None, None
        if release is not None:
            release()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def new_bytes(size: int) -> tuple[bytes, int]:
    """A bytes object whose content the caller still writes, and the address of the content."""
    made: bytes = _new_bytes(None, size)
    return made, address_of(made)


def address_of(data: bytes) -> int:
    """Address of the content of a bytes object, valid as long as the object."""
    return int(_bytes_address(data))


def view(data: Any, role: str, writable: bool = False) -> Memory:
    """The memory of `data`. `role` names it in exceptions. Raises a subclass of ArrayError."""
    if type(data) is bytes and not writable:
        return Memory(address_of(data), len(data), data)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(data, torch.Tensor):
        return _of_torch(torch, data, role, writable)
    try:
        interface = getattr(data, "__cuda_array_interface__", None)
    except Exception as error:
        raise ArrayTypeError(f"{role}: {error}") from error
    if interface is not None:
        return _of_cuda(data, interface, role, writable)
    memory = _of_buffer(data, role, writable)
    if memory is not None:
        return memory
    if hasattr(data, "__dlpack_device__"):
        return _of_dlpack(data, role, writable)
    raise ArrayTypeError(f"{role}: {type(data).__name__} is no bytes-like object, array or tensor")


def _is_jax(data: Any) -> bool:
    """jax's arrays are immutable, and not every interface of theirs says so."""
    return type(data).__module__.partition(".")[0] in ("jax", "jaxlib")


def _check(role: str, *, contiguous: bool, readonly: bool, writable: bool) -> None:
    if not contiguous:
        raise NotContiguousError(f"{role}: the array is not contiguous in C order: pass a contiguous copy")
    if readonly and writable:
        raise ReadOnlyError(f"{role}: the call writes into this memory, which is read-only")


def _check_size(role: str, size: int, is_array: bool) -> None:
    if size == 0 and is_array:
        raise EmptyError(f"{role}: the array has no elements")


def _of_buffer(data: Any, role: str, writable: bool) -> Optional[Memory]:
    """None if the object has no buffer protocol."""
    is_array = not isinstance(data, (bytes, bytearray, memoryview))
    if is_array or isinstance(data, memoryview):
        _check_elements(data, role)
    found = _PyBuffer()
    try:
        _get_buffer(data, ctypes.byref(found), _PyBUF_STRIDES)
    except TypeError:
        return None
    except (BufferError, ValueError) as error:
        if _is_jax(data):  # no buffer of bfloat16; DLPack has it
            return None
        raise NotContiguousError(f"{role}: {error}") from error
    memory = Memory(found.buf or 0, found.len, data, release=functools.partial(_release_buffer, ctypes.byref(found)))
    try:
        _check(role, contiguous=bool(_is_contiguous(ctypes.byref(found), b"C")), readonly=bool(found.readonly),
               writable=writable)
        _check_size(role, found.len, is_array)
    except BaseException:
        memory.close()
        raise
    return memory


def _check_elements(data: Any, role: str) -> None:
    """Refuses arrays of Python objects, whose memory holds addresses."""
    objects = bool(getattr(getattr(data, "dtype", None), "hasobject", False))
    if not objects:
        try:
            with memoryview(data) as elements:
                objects = "O" in elements.format
        except (TypeError, ValueError, BufferError):
            pass
    if objects:
        raise ArrayTypeError(f"{role}: the elements are Python objects, which are no bytes")


def _of_torch(torch: Any, tensor: Any, role: str, writable: bool) -> Memory:
    if tensor.requires_grad:
        raise RequiresGradError(f"{role}: the tensor requires grad: pass tensor.detach()")
    if tensor.layout is not torch.strided:
        raise ArrayTypeError(f"{role}: a tensor of layout {tensor.layout} has no memory of its own")
    if tensor.is_conj() or tensor.is_neg():
        raise NotContiguousError(f"{role}: the tensor is a lazy view: pass tensor.resolve_conj().resolve_neg()")
    kind = tensor.device.type
    if kind not in ("cpu", "cuda"):
        raise DeviceError(f"{role}: the tensor is on {tensor.device}, and gpuctr works on cpu and cuda")
    _check(role, contiguous=tensor.is_contiguous(), readonly=False, writable=writable)
    _check_size(role, tensor.numel(), True)
    size = tensor.numel() * tensor.element_size()
    if kind == "cuda":
        if torch.cuda.is_current_stream_capturing():
            raise DeviceError(f"{role}: a CUDA graph is being captured, and gpuctr's work cannot be part of it")
        _wait_for_torch(torch, tensor.get_device(), role)
    # As torch's own operations in place do, so that autograd notices; tensors of inference mode have no version.
    if writable and hasattr(torch.autograd.graph, "increment_version") and not tensor.is_inference():
        torch.autograd.graph.increment_version(tensor)
    on_device = kind == "cuda"
    return Memory(tensor.data_ptr(), size, tensor, on_device=on_device,
                  device=tensor.get_device() if on_device else None)


def _wait_for_torch(torch: Any, device: int, role: str) -> None:
    """Waits for torch's current stream of the device."""
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # no Stream object, which takes 5 us
    if raw is not None and torch.cuda.current_device() == device:
        _wait_for(raw(device), role)
    else:
        torch.cuda.current_stream(device).synchronize()


def _dense(shape: tuple[int, ...], strides: Optional[tuple[int, ...]], item: int) -> bool:
    expected = item
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def _of_cuda(data: Any, interface: Any, role: str, writable: bool) -> Memory:
    shape, strides, kind = tuple(interface["shape"]), interface.get("strides"), interface["typestr"]
    address, readonly = interface["data"]
    size = math.prod(shape) * int(kind[2:])
    if kind[1] == "O" or interface.get("mask") is not None:
        raise ArrayTypeError(f"{role}: {'a masked array' if kind[1] != 'O' else 'an array of Python objects'}")
    _check(role, contiguous=_dense(shape, strides, int(kind[2:])), readonly=readonly or _is_jax(data), writable=writable)
    _check_size(role, size, True)
    stream = interface.get("stream")  # None: the memory is ready
    if stream == 0:
        raise DeviceError(f"{role}: stream 0 is ambiguous: __cuda_array_interface__ has 1 or 2 for default streams")
    if stream is not None:
        _wait_for(stream, role)
    return Memory(address, size, data, on_device=True, device=getattr(getattr(data, "device", None), "id", None))


@functools.lru_cache(maxsize=1)
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _wait_for(stream: int, role: str) -> None:
    """Waits for a stream of the current context."""
    try:
        status = _driver().cuStreamSynchronize(ctypes.c_void_p(stream))
    except OSError as error:
        raise DeviceError(f"{role}: memory of a stream, and no CUDA driver: {error}") from None
    if status != 0:
        raise DeviceError(f"{role}: CUDA error {status} while waiting for the array's stream")


def _of_dlpack(data: Any, role: str, writable: bool) -> Memory:
    kind, device = (int(n) for n in data.__dlpack_device__())
    on_device = kind in (CUDA, CUDA_MANAGED)
    if not on_device and kind not in (CPU, CUDA_HOST):
        raise DeviceError(f"{role}: DLPack device type {kind}, and gpuctr works on CPU and CUDA memory")
    try:
        # On a device: the producer makes the memory ready for the legacy default stream, and we wait for that one.
        capsule = data.__dlpack__(stream=1) if on_device else data.__dlpack__()
    except BufferError as error:  # what the array API has for read-only arrays, among others
        raise ReadOnlyError(f"{role}: {error}") from error
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArrayTypeError(f"{role}: {error}") from error
    if on_device:
        _wait_for(1, role)
    # The capsule stays unused, so it frees the tensor when it goes.
    tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    item = tensor.bits * tensor.lanes
    if item % 8 != 0:
        raise ArrayTypeError(f"{role}: elements of {item} bits, which are no whole bytes")
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
    _check(role, contiguous=_dense(shape, strides, 1), readonly=_is_jax(data), writable=writable)
    size = math.prod(shape) * item // 8
    _check_size(role, size, True)
    return Memory((tensor.data or 0) + tensor.byte_offset, size, (data, capsule), on_device=on_device,
                  device=device if on_device else None)


def check_pair(source: Memory, target: Memory, size: int) -> None:
    """Refuses an output on another device than the input, and one that overlaps it other than in place."""
    if source.on_device and target.on_device and None not in (source.device, target.device) \
            and source.device != target.device:
        raise DeviceError(f"data is on device {source.device}, and out on device {target.device}")
    apart = source.address + size <= target.address or target.address + size <= source.address
    if source.address != target.address and not apart:
        raise ArgumentError("data and out overlap partly: pass one buffer, or two that do not touch")
