"""Model files in the safetensors format, each tensor sealed in GCM.

The file stays a valid safetensors file: names, types and shapes are in clear, and the bytes of each tensor are its
ciphertext. The header's metadata has, beside the caller's entries, the entry "gpuctr", a JSON object:

    {"cipher": "AES-256-GCM", "seal": {"nonce": HEX, "tag": HEX}, "tensors": {NAME: {"nonce": HEX, "tag": HEX}, ...}}

The associated data is the same for all: the UTF-8 text of the JSON object
{"cipher": CIPHER, "metadata": {the caller's entries}, "tensors": {NAME: [TYPE, [LENGTH, ...]], ...}} with sorted keys,
without spaces, other characters than ASCII as \\u escapes; behind it, for a tensor, a zero byte and its name. "seal"
is the tag of an empty text with the associated data of no tensor: it authenticates the header. Nonces are random, 12
bytes; one key must not seal more than 2^32 tensors. Any program with the cipher can open the file.

PyTorch's tensors need torch, others numpy; the package safetensors is not needed.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import os
from typing import Any, Mapping, Optional, Union

from .cipher import Cipher
from .errors import ArgumentError, ArrayTypeError, InvalidTag, UnsupportedError
from .files import replaced

Path = Union[str, "os.PathLike[str]"]
_ENTRY = "gpuctr"
_NONCE_BYTES, _TAG_BYTES = 12, 16


def _check_cipher(cipher: Cipher) -> None:
    if cipher.mode != "GCM" or cipher.tag_length != _TAG_BYTES:
        raise UnsupportedError(f"{cipher.name} with tags of {cipher.tag_length} bytes: a file is sealed in GCM with"
                               f" tags of {_TAG_BYTES}")


def _header(cipher: str, metadata: Mapping[str, str], tensors: Mapping[str, tuple[str, list[int]]]) -> bytes:
    text = {"cipher": cipher, "metadata": dict(metadata), "tensors": {n: list(t) for n, t in tensors.items()}}
    return json.dumps(text, sort_keys=True, separators=(",", ":")).encode()


def _aad(header: bytes, name: str) -> bytes:
    return header + b"\0" + name.encode()


def _is_torch(tensor: Any) -> bool:
    return type(tensor).__module__.partition(".")[0] == "torch" or hasattr(tensor, "data_ptr")


# Types of safetensors: bytes of an element, and the names in numpy, if it has the type, and in torch.
_TYPES = {
    "F64": (8, "float64", "float64"), "I64": (8, "int64", "int64"), "U64": (8, "uint64", "uint64"),
    "C64": (8, "complex64", "complex64"), "F32": (4, "float32", "float32"), "I32": (4, "int32", "int32"),
    "U32": (4, "uint32", "uint32"), "F16": (2, "float16", "float16"), "BF16": (2, "", "bfloat16"),
    "I16": (2, "int16", "int16"), "U16": (2, "uint16", "uint16"), "F8_E4M3": (1, "", "float8_e4m3fn"),
    "F8_E5M2": (1, "", "float8_e5m2"), "I8": (1, "int8", "int8"), "U8": (1, "uint8", "uint8"),
    "BOOL": (1, "bool", "bool"),
}


def _type_of(tensor: Any, name: str) -> str:
    text = str(tensor.dtype)
    for kind, (_, of_numpy, of_torch) in _TYPES.items():
        if text == (f"torch.{of_torch}" if _is_torch(tensor) else of_numpy):
            return kind
    raise ArrayTypeError(f"tensor {name}: safetensors has no type {text}")


def _sealed(cipher: Cipher, nonce: bytes, tensor: Any, aad: bytes) -> tuple[bytes, bytes]:
    """Ciphertext and tag of a copy of the tensor; of one on a device, made there."""
    if 0 in tuple(tensor.shape):
        return b"", cipher.seal(nonce, b"", aad)
    if not _is_torch(tensor):
        made = cipher.seal(nonce, tensor, aad)
        return made[:-_TAG_BYTES], made[-_TAG_BYTES:]
    copy = tensor.detach().clone().contiguous()
    tag = cipher.seal_into(nonce, copy, aad=aad)
    if copy.device.type != "cpu":
        copy = copy.cpu()
    return ctypes.string_at(copy.data_ptr(), copy.numel() * copy.element_size()), tag


def save_file(tensors: Mapping[str, Any], path: Path, cipher: Cipher,
              metadata: Optional[Mapping[str, str]] = None) -> None:
    """Seals tensors or numpy arrays into a file. A tensor on a device is sealed there.

    `cipher` is in GCM with tags of 16 bytes. The tensors stay as they are; the ciphertext of one at a time is in
    memory. numpy arrays are contiguous and in the machine's byte order. `metadata`, texts by name, is authenticated and
    in clear. The file gets its name when it is complete, and is readable by its owner only.
    """
    _check_cipher(cipher)
    metadata = dict(metadata or {})
    if _ENTRY in metadata:
        raise ArgumentError(f'"{_ENTRY}" is the entry that this module makes')
    types = {name: (_type_of(tensor, name), [int(n) for n in tensor.shape]) for name, tensor in tensors.items()}
    header = _header(cipher.name, metadata, types)
    # Large elements first, so that each tensor is aligned.
    names = sorted(types, key=lambda name: (-_TYPES[types[name][0]][0], name))
    nothing = {"nonce": "0" * 2 * _NONCE_BYTES, "tag": "0" * 2 * _TAG_BYTES}
    seals = dict.fromkeys(names, nothing)
    with replaced(path) as file:
        file.write(_file_header(types, names, metadata, {"cipher": cipher.name, "seal": nothing, "tensors": seals}))
        for name in names:
            nonce = os.urandom(_NONCE_BYTES)
            text, tag = _sealed(cipher, nonce, tensors[name], _aad(header, name))
            file.write(text)
            seals[name] = {"nonce": nonce.hex(), "tag": tag.hex()}
        nonce = os.urandom(_NONCE_BYTES)
        seal = {"nonce": nonce.hex(), "tag": cipher.seal(nonce, b"", header).hex()}
        file.seek(0)  # the same header, of the same length, with the seals
        file.write(_file_header(types, names, metadata, {"cipher": cipher.name, "seal": seal, "tensors": seals}))


def _file_header(types: Mapping[str, tuple[str, list[int]]], names: list[str], metadata: Mapping[str, str],
                 entry: Mapping[str, Any]) -> bytes:
    """The length of the JSON text and the text, padded to a multiple of 8 bytes, as the format has it."""
    header: dict[str, Any] = {"__metadata__": {**metadata, _ENTRY: json.dumps(entry)}}
    at = 0
    for name in names:
        kind, shape = types[name]
        end = at + _TYPES[kind][0] * math.prod(shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    """The header's JSON, and where the data begins."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > os.fstat(file.fileno()).st_size:
            raise ArgumentError(f"{path} is no safetensors file")
        try:
            header = json.loads(file.read(size))
        except ValueError:
            raise ArgumentError(f"{path} is no safetensors file") from None
    return header, 8 + size


def load_file(path: Path, cipher: Cipher, *, framework: str = "numpy", device: str = "cpu") -> dict[str, Any]:
    """Opens the tensors of a file that save_file() made: numpy arrays, or with framework="torch" tensors.

    With a `device` of torch, the ciphertext is copied there and opened there. Raises `InvalidTag` if the key is wrong
    or the file was changed: then no tensor is returned.
    """
    return load_file_with_metadata(path, cipher, framework=framework, device=device)[0]


def load_file_with_metadata(path: Path, cipher: Cipher, *, framework: str = "numpy",
                            device: str = "cpu") -> tuple[dict[str, Any], dict[str, str]]:
    """As load_file(), and the metadata that save_file() was given."""
    _check_cipher(cipher)
    if framework not in ("numpy", "torch"):
        raise ArgumentError(f'framework is "numpy" or "torch", not {framework!r}')
    whole, start = _read_header(path)
    metadata: dict[str, str] = dict(whole.pop("__metadata__", {}))
    try:
        entry = json.loads(metadata.pop(_ENTRY))
        seals: dict[str, dict[str, str]] = entry["tensors"]
        types = {name: (str(info["dtype"]), [int(n) for n in info["shape"]]) for name, info in whole.items()}
        sealed_by = str(entry["cipher"])
        header = _header(sealed_by, metadata, types)
        nonce, tag = (bytes.fromhex(entry["seal"][field]) for field in ("nonce", "tag"))
        each = {name: tuple(bytes.fromhex(seals[name][field]) for field in ("nonce", "tag")) for name in types}
    except (KeyError, TypeError, ValueError):
        raise ArgumentError(f"{path} is not sealed, or not by this package") from None
    if sealed_by != cipher.name:
        raise ArgumentError(f"{path} is sealed by {sealed_by}, not {cipher.name}")
    cipher.open(nonce, tag, header)
    if set(seals) != set(types):
        raise InvalidTag(f"{path}: the seals are not those of its tensors")
    made: dict[str, Any] = {}
    with open(path, "rb") as file:
        for name, (kind, shape) in types.items():
            begin, end = whole[name]["data_offsets"]
            file.seek(start + begin)
            data = bytearray(file.read(end - begin))
            opened = _opened(cipher, data, each[name], _aad(header, name), device if framework == "torch" else "cpu")
            made[name] = _shaped(opened, kind, shape, framework, name)
    return made, metadata


def _opened(cipher: Cipher, data: bytearray, seal: tuple[bytes, ...], aad: bytes, device: str) -> Any:
    nonce, tag = seal
    memory: Any = data
    if data and device != "cpu":
        torch = importlib.import_module("torch")
        memory = torch.frombuffer(data, dtype=torch.uint8).to(device)
    cipher.open_into(nonce, memory, tag, aad=aad)
    return memory


def _shaped(memory: Any, kind: str, shape: list[int], framework: str, name: str) -> Any:
    _, of_numpy, of_torch = _TYPES.get(kind, (0, "", ""))
    if not (of_numpy if framework == "numpy" else of_torch):
        raise UnsupportedError(f"tensor {name}: {framework} has no type {kind}")
    if framework == "numpy":
        numpy = importlib.import_module("numpy")
        return numpy.frombuffer(memory, numpy.dtype(of_numpy)).reshape(shape)
    torch = importlib.import_module("torch")
    dtype = getattr(torch, of_torch)
    if isinstance(memory, bytearray):
        return torch.frombuffer(memory, dtype=dtype).reshape(shape) if memory else torch.empty(shape, dtype=dtype)
    return memory.view(dtype).reshape(shape)
