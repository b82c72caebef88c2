"""What data may be, and what is refused: each with one exception, and nothing written."""

import array
import ctypes
import mmap

import gpuctr
import pytest

KEY, NONCE = bytes(range(32)), bytes(12)
TEXT = bytes(range(256)) * 4


@pytest.fixture(scope="module")
def ctr():
    return gpuctr.Cipher("AES-256-CTR", KEY)


@pytest.fixture(scope="module")
def gcm():
    return gpuctr.Cipher("AES-256-GCM", KEY)


@pytest.fixture(scope="module")
def numpy():
    return pytest.importorskip("numpy")


class OnlyDlpack:
    """An array that shows itself through DLPack only."""

    def __init__(self, made, device=None):
        self.made, self.device = made, device

    def __dlpack__(self, **options):
        return self.made.__dlpack__()

    def __dlpack_device__(self):
        return self.device or self.made.__dlpack_device__()


def holders():
    page = mmap.mmap(-1, len(TEXT))
    page[:] = TEXT
    return [bytearray(TEXT), memoryview(bytearray(TEXT)), array.array("B", TEXT), page,
            (ctypes.c_uint16 * (len(TEXT) // 2)).from_buffer_copy(TEXT), memoryview(bytearray(TEXT)).cast("d")]


def test_bytes_like(ctr, gcm):
    sealed, tag = ctr.encrypt(bytes(16), TEXT), gcm.seal(NONCE, TEXT)[-16:]
    assert ctr.encrypt(bytes(16), memoryview(TEXT)) == sealed
    for data in holders():
        assert ctr.encrypt(bytes(16), data) == sealed
        assert ctr.encrypt_into(bytes(16), data) == len(TEXT)
        assert bytes(memoryview(data).cast("B") if not isinstance(data, mmap.mmap) else data[:]) == sealed
        assert ctr.decrypt_into(bytes(16), data) == len(TEXT)
        assert gcm.seal_into(NONCE, data) == tag
        gcm.open_into(NONCE, data, tag)
        assert bytes(memoryview(data).cast("B") if not isinstance(data, mmap.mmap) else data[:]) == TEXT
    grows = bytearray(TEXT)
    ctr.encrypt_into(bytes(16), grows)
    grows.append(1)  # BufferError if the call had kept the buffer


def test_numpy_types(ctr, numpy):
    for kind in ("u1", "i2", "f2", "<u4", ">u8", "f8", "c16", "?", "M8[s]", "V3", [("a", "u1"), ("b", "f4")]):
        made = numpy.zeros(60, kind)
        ctr.encrypt_into(bytes(16), made)
        assert made.tobytes() == ctr.encrypt(bytes(16), bytes(made.nbytes))
    made = numpy.zeros((4, 5, 6), "f4")
    assert ctr.encrypt(bytes(16), made[1:3]) == ctr.encrypt(bytes(16), bytes(240))
    ctr.encrypt_into(bytes(16), made[1:3])
    assert not made[0].any() and not made[3].any() and made[1:3].all()
    scalar = numpy.array(0.0)
    ctr.encrypt_into(bytes(16), scalar)
    assert scalar.tobytes() == ctr.encrypt(bytes(16), bytes(8))


def test_dlpack(ctr, numpy):
    made = numpy.arange(1000, dtype="f4").reshape(10, 100)
    expected = ctr.encrypt(bytes(16), made)
    ctr.encrypt_into(bytes(16), OnlyDlpack(made))
    assert made.tobytes() == expected
    with pytest.raises(gpuctr.NotContiguousError):
        ctr.encrypt_into(bytes(16), OnlyDlpack(made.T))
    with pytest.raises(gpuctr.EmptyError):
        ctr.encrypt_into(bytes(16), OnlyDlpack(made[:0]))
    with pytest.raises(gpuctr.DeviceError, match="type 8"):  # Metal
        ctr.encrypt_into(bytes(16), OnlyDlpack(made, (8, 0)))
    with pytest.raises(gpuctr.ReadOnlyError):
        made.flags.writeable = False
        ctr.encrypt_into(bytes(16), OnlyDlpack(made))
    assert made.tobytes() == expected


def refused_arrays(numpy):
    readonly = numpy.zeros(8)
    readonly.flags.writeable = False
    whole = numpy.zeros((8, 8))
    return [
        (gpuctr.NotContiguousError, whole[:, ::2]), (gpuctr.NotContiguousError, whole.T[1:]),
        (gpuctr.NotContiguousError, whole[::-1]), (gpuctr.NotContiguousError, memoryview(bytearray(8))[::2]),
        (gpuctr.NotContiguousError, numpy.asfortranarray(numpy.zeros((3, 4)))),
        (gpuctr.ReadOnlyError, readonly), (gpuctr.ReadOnlyError, bytes(8)),
        (gpuctr.ReadOnlyError, memoryview(bytes(8))),
        (gpuctr.EmptyError, whole[:0]), (gpuctr.EmptyError, numpy.zeros((3, 0))),
        (gpuctr.ArrayTypeError, numpy.array([object()])), (gpuctr.ArrayTypeError, memoryview(numpy.array([None]))),
        (gpuctr.ArrayTypeError, numpy.zeros(2, [("a", "O")])), (gpuctr.ArrayTypeError, "text"),
        (gpuctr.ArrayTypeError, 7), (gpuctr.ArrayTypeError, [1, 2]), (gpuctr.ArrayTypeError, object()),
    ]


def test_refusals(ctr, gcm, numpy):
    generator = gpuctr.Generator()
    calls = [lambda out: ctr.encrypt_into(bytes(16), out), lambda out: ctr.decrypt_into(bytes(16), bytes(8), out),
             lambda out: gcm.seal_into(NONCE, out), lambda out: gcm.open_into(NONCE, out, bytes(16)),
             lambda out: gcm.seal_into(NONCE, bytes(8), out), lambda out: gcm.encryptor(NONCE).update_into(out),
             lambda out: gcm.decryptor(NONCE).update_into(bytes(8), out), generator.fill]
    for kind, refused in refused_arrays(numpy):
        before = repr(refused)
        for call in calls:
            with pytest.raises(kind) as caught:
                call(refused)
            assert type(caught.value) is kind and isinstance(caught.value, gpuctr.Error) and len(str(caught.value)) > 20
            assert repr(refused) == before
        if kind is not gpuctr.ReadOnlyError:
            with pytest.raises(kind):
                ctr.encrypt(bytes(16), refused)
            with pytest.raises(kind):
                gcm.seal(NONCE, b"", refused)


def test_overlaps_and_room(ctr, gcm):
    buffer = bytearray(TEXT)
    view = memoryview(buffer)
    with pytest.raises(gpuctr.ArgumentError, match="overlap"):
        ctr.encrypt_into(bytes(16), view[:100], view[1:])
    with pytest.raises(gpuctr.ArgumentError, match="overlap"):
        gcm.seal_into(NONCE, view[1:100], view[:100])
    with pytest.raises(gpuctr.ArgumentError, match="99 bytes"):
        ctr.encrypt_into(bytes(16), view[:100], bytearray(99))
    assert buffer == TEXT
    ctr.encrypt_into(bytes(16), view[:100], view[100:])
    assert buffer == TEXT[:100] + ctr.encrypt(bytes(16), TEXT[:100]) + TEXT[200:]


def test_torch(ctr, gcm):
    torch = pytest.importorskip("torch")
    made = torch.arange(1000, dtype=torch.float32).reshape(10, 100)
    text = made.numpy().tobytes()
    tag = gcm.seal_into(NONCE, made)
    assert made.numpy().tobytes() + tag == gcm.seal(NONCE, text)
    gcm.open_into(NONCE, made, tag)
    assert made.numpy().tobytes() == text
    with torch.inference_mode():
        inference = torch.zeros(8)
    ctr.encrypt_into(bytes(16), inference)
    half = torch.zeros(8, dtype=torch.bfloat16)
    assert ctr.encrypt(bytes(16), half) == ctr.encrypt(bytes(16), bytes(16))
    gpuctr.Generator().fill(half)
    assert half.view(torch.int16).any()
    for kind, refused in (
        (gpuctr.NotContiguousError, made.t()), (gpuctr.EmptyError, made[:0]),
        (gpuctr.RequiresGradError, torch.zeros(3, requires_grad=True)),
        (gpuctr.RequiresGradError, torch.nn.Parameter(torch.zeros(3))),
        (gpuctr.DeviceError, torch.zeros(3, device="meta")), (gpuctr.ArrayTypeError, torch.zeros(3, 3).to_sparse()),
        (gpuctr.NotContiguousError, torch.zeros(3, dtype=torch.complex64).conj()),
    ):
        for call in (lambda: ctr.encrypt_into(bytes(16), refused), lambda: gpuctr.Generator().fill(refused),
                     lambda: ctr.encrypt(bytes(16), refused)):
            with pytest.raises(kind) as caught:
                call()
            assert type(caught.value) is kind
    assert made.numpy().tobytes() == text


def test_jax(gcm):
    """JAX's arrays are read, bfloat16 too, which the buffer protocol does not have, and never written."""
    jax, numpy = pytest.importorskip("jax"), pytest.importorskip("numpy")
    for dtype in ("float32", "bfloat16", "float16", "int8"):
        made = jax.numpy.arange(100).astype(dtype)
        assert gcm.open(NONCE, gcm.seal(NONCE, made)) == numpy.asarray(made).tobytes()
        with pytest.raises(gpuctr.ReadOnlyError):
            gcm.seal_into(NONCE, made)
        assert (made == jax.numpy.arange(100).astype(dtype)).all()
