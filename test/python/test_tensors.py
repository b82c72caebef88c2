"""Random tensors on a device, of PyTorch, CuPy and JAX; skipped where there is none."""

import gpuctr
import pytest

torch = pytest.importorskip("torch")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU")
    return request.param


FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_numbers(device, dtype):
    generator = gpuctr.Generator("LEA-128-STREAM")
    x = generator.normal_(torch.empty(300, 1001, dtype=dtype, device=device), 2, 0.5)
    assert x.device.type == device and abs(x.double().mean() - 2) < 0.01 and abs(x.double().std() - 0.5) < 0.01
    u = generator.uniform_(torch.empty(300_001, dtype=dtype, device=device), -1, 3)
    assert -1 <= u.min() and u.max() < 3 and abs(u.double().mean() - 1) < 0.02
    assert set(generator.bernoulli_(torch.empty(1000, dtype=dtype, device=device), 0.5).tolist()) == {0, 1}


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8], ids=str)
def test_integers(device, dtype):
    made = gpuctr.Generator("AES-256-STREAM").integers_(torch.empty(10_000, dtype=dtype, device=device), 3, 9)
    assert set(made.tolist()) == {3, 4, 5, 6, 7, 8}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_seed_gives_the_same_numbers_everywhere(dtype):
    """Bit for bit, whatever the device and however large."""
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    for name in ("LEA-256-STREAM", "AES-128-STREAM", "CHAM-128-128-STREAM"):
        if name not in gpuctr.generators():
            continue
        for size in (1, 5, 4096, 2_000_003):
            made = []
            for where in ("cpu", "cuda"):
                generator = gpuctr.Generator(name, seed=bytes(range(gpuctr.Generator(name).strength // 8)))
                made.append(generator.normal_(torch.empty(size, dtype=dtype, device=where)).cpu())
            assert torch.equal(*made), (name, size)


def test_order_with_torchs_stream(device):
    """Numbers come after what is queued for the tensor, and before what follows."""
    generator = gpuctr.Generator("AES-128-STREAM")
    tensor = torch.zeros(1 << 22, device=device)
    for _ in range(20):
        tensor.fill_(1000)
        generator.normal_(tensor)
        assert (tensor * 1).abs().max() < 10


def test_refused(device):
    generator = gpuctr.Generator("AES-128-STREAM")
    tensor = torch.full((8, 8), 7.0, device=device)
    for wrong, error in ((tensor.t()[:4], gpuctr.NotContiguousError), (tensor[:0], gpuctr.EmptyError),
                         (tensor.clone().requires_grad_(), gpuctr.RequiresGradError),
                         (tensor.to(torch.complex64), gpuctr.ArrayTypeError)):
        with pytest.raises(error):
            generator.normal_(wrong)
    with pytest.raises(gpuctr.ArgumentError):
        generator.normal_(tensor, 0, -1)
    assert (tensor == 7).all()


def test_cupy_and_jax():
    cupy = pytest.importorskip("cupy")
    generator = gpuctr.Generator("LEA-128-STREAM")
    array = generator.normal_(cupy.empty((100, 1000), "f4"))
    assert abs(float(array.mean())) < 0.05
    jax = pytest.importorskip("jax")
    with pytest.raises(gpuctr.ReadOnlyError):  # jax's arrays do not change
        generator.normal_(jax.numpy.zeros(100))
    made = jax.dlpack.from_dlpack(array)
    assert made.shape == (100, 1000) and abs(float(made.std()) - 1) < 0.05
