"""gpuctr.safetensors: files that the package safetensors reads, and that open only if nothing was changed."""

import json
import os

import gpuctr
import pytest

safetensors = pytest.importorskip("safetensors")
numpy = pytest.importorskip("numpy")
import gpuctr.safetensors  # noqa: E402

KEY = bytes(range(32))


@pytest.fixture
def cipher():
    return gpuctr.Cipher("AES-256-GCM", KEY)


@pytest.fixture
def saved(tmp_path, cipher):
    tensors = {"a": numpy.arange(6, dtype="f4").reshape(2, 3), "b.c": numpy.arange(10, dtype="i8"),
               "empty": numpy.zeros((3, 0), "f2"), "flag": numpy.array([True, False]), "half": numpy.ones(3, "f2"),
               "ü": numpy.zeros((), "f8")}
    gpuctr.safetensors.save_file(tensors, tmp_path / "file", cipher, {"format": "np", "note": "ö"})
    return tmp_path / "file", tensors


def same(one, other):
    def parts(tensors):
        return {name: (tensor.dtype, tensor.shape, tensor.tobytes()) for name, tensor in tensors.items()}

    return parts(one) == parts(other)


def test_there_and_back(saved, cipher):
    path, tensors = saved
    loaded, metadata = gpuctr.safetensors.load_file_with_metadata(path, cipher)
    assert same(loaded, tensors) and metadata == {"format": "np", "note": "ö"}
    loaded["a"][0, 0] = 5  # the arrays are the caller's


def test_the_file_is_a_safetensors_file(saved):
    path, tensors = saved
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        assert set(file.keys()) == set(tensors)
        assert file.get_tensor("a").shape == (2, 3)
        assert (file.get_tensor("b.c") != tensors["b.c"]).any()


def test_the_format_without_the_package(saved):
    """As the module's text has it, by `cryptography` and json."""
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    path, tensors = saved
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__")
    entry = json.loads(metadata.pop("gpuctr"))
    names = ",".join(f'{json.dumps(n)}:["{t["dtype"]}",{json.dumps(t["shape"], separators=(",", ":"))}]'
                     for n, t in sorted(header.items()))
    aad = ('{"cipher":"AES-256-GCM","metadata":{"format":"np","note":"\\u00f6"},"tensors":{' + names + "}}").encode()
    opener = aead.AESGCM(KEY)
    assert opener.decrypt(bytes.fromhex(entry["seal"]["nonce"]), bytes.fromhex(entry["seal"]["tag"]), aad) == b""
    begin, end = header["b.c"]["data_offsets"]
    sealed = data[8 + size + begin : 8 + size + end] + bytes.fromhex(entry["tensors"]["b.c"]["tag"])
    text = opener.decrypt(bytes.fromhex(entry["tensors"]["b.c"]["nonce"]), sealed, aad + b"\0b.c")
    assert text == tensors["b.c"].tobytes()


def rewritten(path, change):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    entry = json.loads(header["__metadata__"]["gpuctr"])
    change(header, entry)
    header["__metadata__"]["gpuctr"] = json.dumps(entry)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])


def test_changes_are_found(saved, cipher):
    path, _ = saved
    whole = path.read_bytes()

    def swap(header, entry):
        header["flag"], header["half"] = header["half"], header["flag"]

    changes = [lambda h, e: h["a"].update(shape=[3, 2]), lambda h, e: h["a"].update(dtype="I32"),
               lambda h, e: h["__metadata__"].update(note="x"), lambda h, e: h.pop("b.c"), swap,
               lambda h, e: (h.pop("b.c"), e["tensors"].pop("b.c")), lambda h, e: e["tensors"].update(x=e["seal"]),
               lambda h, e: e["tensors"].update(a=e["tensors"]["half"]), lambda h, e: e.update(seal=e["tensors"]["a"])]
    for change in changes:
        path.write_bytes(whole)
        rewritten(path, change)
        assert path.read_bytes() != whole
        with pytest.raises(gpuctr.InvalidTag):
            gpuctr.safetensors.load_file(path, cipher)
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(gpuctr.InvalidTag):
        gpuctr.safetensors.load_file(path, cipher)
    path.write_bytes(whole)
    with pytest.raises(gpuctr.InvalidTag):
        gpuctr.safetensors.load_file(path, gpuctr.Cipher("AES-256-GCM", KEY[::-1]))
    with pytest.raises(gpuctr.ArgumentError, match="sealed by AES-256-GCM"):
        gpuctr.safetensors.load_file(path, gpuctr.Cipher("LEA-256-GCM", KEY))


def test_refusals(tmp_path, cipher):
    for wrong in (gpuctr.Cipher("AES-256-CTR", KEY), gpuctr.Cipher("AES-256-CCM", KEY),
                  gpuctr.Cipher("AES-256-GCM", KEY, tag_length=12)):
        with pytest.raises(gpuctr.UnsupportedError):
            gpuctr.safetensors.save_file({}, tmp_path / "x", wrong)
    save = gpuctr.safetensors.save_file
    with pytest.raises(gpuctr.NotContiguousError):
        save({"a": numpy.zeros((4, 4))[:, ::2]}, tmp_path / "x", cipher)
    with pytest.raises(gpuctr.ArrayTypeError, match="datetime64"):
        save({"a": numpy.zeros(4, "M8[s]")}, tmp_path / "x", cipher)
    with pytest.raises(gpuctr.ArgumentError):
        save({}, tmp_path / "x", cipher, {"gpuctr": "x"})
    assert not list(tmp_path.iterdir())
    save({}, tmp_path / "x", cipher)
    assert gpuctr.safetensors.load_file(tmp_path / "x", cipher) == {}
    from safetensors.numpy import save_file

    save_file({"a": numpy.zeros(4)}, tmp_path / "plain")
    (tmp_path / "none").write_bytes(os.urandom(100))
    (tmp_path / "short").write_bytes(b"abc")
    for name in ("plain", "none", "short"):
        with pytest.raises(gpuctr.ArgumentError):
            gpuctr.safetensors.load_file(tmp_path / name, cipher)
    with pytest.raises(gpuctr.ArgumentError):
        gpuctr.safetensors.load_file(tmp_path / "x", cipher, framework="jax")


def test_torch(tmp_path, cipher):
    torch = pytest.importorskip("torch")
    tensors = {"w": torch.randn(5, 4), "h": torch.arange(7).to(torch.bfloat16), "e": torch.zeros(0, 3),
               "p": torch.nn.Parameter(torch.ones(2))}
    gpuctr.safetensors.save_file(tensors, tmp_path / "file", cipher)
    loaded = gpuctr.safetensors.load_file(tmp_path / "file", cipher, framework="torch")
    assert all(torch.equal(loaded[n], tensors[n]) and loaded[n].dtype == tensors[n].dtype for n in tensors)
    with pytest.raises(gpuctr.UnsupportedError, match="BF16"):
        gpuctr.safetensors.load_file(tmp_path / "file", cipher)
