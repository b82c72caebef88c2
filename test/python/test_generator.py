"""Generator: seeds, fills, integers."""

import collections
import threading

import gpuctr
import pytest


def test_every_generator():
    for name in gpuctr.generators():
        generator = gpuctr.Generator(name, personalization=b"tests")
        first, second = generator.bytes(1000), gpuctr.Generator(name).bytes(1000)
        assert generator.name == name and first != second and len(set(first)) > 200
        assert generator.strength in (128, 192, 256) and generator.reseed_counter >= 1
        assert generator.max_request == 1 << 30
    with pytest.raises(gpuctr.UnsupportedError):
        gpuctr.Generator("CTR-DRBG")


def test_seeds_give_the_same_numbers():
    def numbers(**options):
        generator = gpuctr.Generator("AES-256-CTR-DRBG", **options)
        return generator.bytes(100) + generator.bytes(50)

    seed = bytes(range(32))
    known = numbers(seed=seed)
    assert known == numbers(seed=seed) == numbers(seed=bytearray(seed), nonce=bytes(16))
    others = [numbers(), numbers(seed=seed[::-1]), numbers(seed=seed, nonce=b"1" * 16),
              numbers(seed=seed, personalization=b"x"), numbers(seed=seed + b"1")]
    assert len({known, *others}) == 6
    # A later request depends on how the numbers were asked for: a DRBG is no stream.
    assert known[:100] == gpuctr.Generator("AES-256-CTR-DRBG", seed=seed).bytes(100)


def test_a_seed_gives_the_numbers_of_openssl():
    """OpenSSL's own CTR-DRBG over AES-256 under the same seed."""
    import gpuctr._crypto as c
    import gpuctr.provider

    crypto, library = c.library(), gpuctr.default_provider()._for(False)
    gpuctr.Generator("AES-256-CTR-DRBG", seed=bytes(32))  # loads OpenSSL's default provider
    seed, nonce, room = bytes(range(32)), bytes(range(16)), c.ctypes.create_string_buffer(1000)
    source = crypto.EVP_RAND_CTX_new(library.fetch("RAND", "TEST-RAND", b"provider=default"), None)
    values = {"strength": 256, "test_entropy": seed, "test_nonce": nonce}
    assert crypto.EVP_RAND_instantiate(source, 0, 0, None, 0, c.Params(values).array) == 1
    stock = crypto.EVP_RAND_CTX_new(library.fetch("RAND", "CTR-DRBG", b"provider=default"), source)
    cipher = c.Params({"cipher": "AES-256-CTR", "properties": "provider=default"})
    assert crypto.EVP_RAND_instantiate(stock, 0, 0, b"who", 3, cipher.array) == 1
    assert crypto.EVP_RAND_generate(stock, room, 1000, 0, 0, None, 0) == 1
    ours = gpuctr.Generator("AES-256-CTR-DRBG", seed=seed, nonce=nonce, personalization=b"who")
    assert ours.bytes(1000) == room.raw
    crypto.EVP_RAND_CTX_free(stock)
    crypto.EVP_RAND_CTX_free(source)


def test_fill():
    numpy = pytest.importorskip("numpy")
    generator = gpuctr.Generator()
    made = numpy.zeros((100, 7), "f4")
    assert generator.fill(made) is made and len(set(made.tobytes())) == 256
    whole, other = (gpuctr.Generator(seed=bytes(32)).fill(bytearray(99), additional=extra) for extra in (b"", b"x"))
    assert whole != other
    part = memoryview(bytearray(30))
    generator.fill(part[10:20])
    assert part[:10].tobytes() == part[20:].tobytes() == bytes(10) and part[10:20].tobytes() != bytes(10)
    assert generator.bytes(0) == b""
    with pytest.raises(gpuctr.ArgumentError):
        generator.bytes(-1)


def test_pieces_of_a_fill(monkeypatch):
    import gpuctr.generator

    whole = gpuctr.Generator(seed=bytes(32))
    expected = b"".join(whole.bytes(n) for n in (1000, 1000, 500))
    monkeypatch.setattr(gpuctr.generator, "PIECE", 1000)
    assert gpuctr.Generator(seed=bytes(32)).bytes(2500) == expected
    first = gpuctr.Generator(seed=bytes(32))  # additional input goes into the first request only
    expected = bytes(first.fill(bytearray(1000), additional=b"x")) + first.bytes(1000)
    assert gpuctr.Generator(seed=bytes(32)).fill(bytearray(2000), additional=b"x") == expected


def test_integers():
    numpy = pytest.importorskip("numpy")
    generator = gpuctr.Generator()
    for low, high, kind in ((0, 10, "u1"), (-128, 128, "i1"), (0, 256, "u1"), (-5, 6, "i8"),
                            (-(1 << 63), 1 << 63, "i8"), (0, 1 << 64, "u8"), (1 << 63, (1 << 63) + 3, "u8"),
                            (7, 8, "i2"), (-3, -1, "i4")):
        made = generator.integers(low, high, (40, 500), dtype=kind)
        assert made.shape == (40, 500) and made.dtype == numpy.dtype(kind)
        assert int(made.min()) >= low and int(made.max()) < high
        if high - low <= 256:
            counts = collections.Counter(made.ravel().tolist())
            assert len(counts) == high - low
            expected = 20000 / (high - low)
            chi = sum((counts[n] - expected) ** 2 / expected for n in range(low, high))
            assert chi < (high - low) + 12 * (2 * (high - low)) ** 0.5  # 12 sigma
    assert generator.integers(5, size=0).shape == (0,) and generator.integers(5).bit_length() <= 3
    assert generator.integers(3, 3, endpoint=True) == 3
    large = generator.integers(10**50, 10**50 + 10**40)
    assert 0 <= large - 10**50 < 10**40
    assert set(generator.integers(3, size=1000).tolist()) == {generator.integers(3) for _ in range(300)} == {0, 1, 2}
    for refused in ((5, 5), (0,), (3, 2)):
        with pytest.raises(gpuctr.ArgumentError):
            generator.integers(*refused)
    for kind, high in (("u1", 257), ("f4", 2), ("i1", 129)):
        with pytest.raises(gpuctr.ArgumentError):
            generator.integers(0, high, 5, dtype=kind)


def test_reseed_and_refusals():
    generator = gpuctr.Generator("LEA-256-CTR-DRBG")
    before = generator.reseed_counter
    generator.reseed()
    generator.reseed(bytes(32), additional=b"x", prediction_resistance=True)
    assert generator.reseed_counter > before
    seeded = [gpuctr.Generator(seed=bytes(32)) for _ in range(2)]
    seeded[0].reseed()
    assert seeded[0].bytes(16) != seeded[1].bytes(16)
    resistant = gpuctr.Generator(prediction_resistance=True)
    count = resistant.reseed_counter
    resistant.bytes(1)
    assert resistant.reseed_counter > count
    for options, text in (({"strength": 257}, "strength"), ({"seed": b"short"}, "entropy"), ({"seed": b""}, "AES-256")):
        with pytest.raises(gpuctr.OperationError, match=text):
            gpuctr.Generator(**options)
    with pytest.raises(gpuctr.ArgumentError, match="nonce"):
        gpuctr.Generator(nonce=bytes(16))
    with pytest.raises(gpuctr.OperationError, match="entropy"):
        generator.reseed(b"short")


def test_threads():
    generator, made = gpuctr.Generator(), []
    threads = [threading.Thread(target=lambda: made.extend(generator.bytes(64) for _ in range(100))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 800


def test_numbers_of_a_stream():
    numpy = pytest.importorskip("numpy")
    generator = gpuctr.Generator("AES-256-STREAM")
    for dtype in ("float16", "float32", "float64"):
        x = generator.normal(3, 0.5, size=(100, 1000), dtype=dtype).astype("f8")
        assert x.shape == (100, 1000) and abs(x.mean() - 3) < 0.01 and abs(x.std() - 0.5) < 0.01
        u = generator.random(100_000, dtype=dtype).astype("f8")
        assert 0 <= u.min() < 0.001 and 0.999 <= u.max() < 1 and abs(u.mean() - 0.5) < 0.01
    assert isinstance(generator.normal(), float) and 0 <= generator.random() < 1
    assert -2 <= generator.uniform(-2, -1) < -1
    out = numpy.zeros((5, 5), "f4")
    assert generator.standard_normal(out=out) is out and (out != 0).all()
    coins = generator.bernoulli(0.25, size=100_000)
    assert coins.dtype == bool and 24_000 < coins.sum() < 26_000
    assert generator.random(0).shape == (0,)


def test_integers_of_a_stream():
    numpy = pytest.importorskip("numpy")
    generator = gpuctr.Generator("LEA-128-STREAM")
    dice = collections.Counter(generator.integers(1, 7, size=60_000).tolist())
    assert set(dice) == set(range(1, 7)) and all(9_500 < n < 10_500 for n in dice.values())
    for dtype, low, high in (("int32", -5, 5), ("uint8", 0, 256), ("int64", -2**63, 2**63), ("uint64", 0, 2**64)):
        made = generator.integers(low, high, size=1000, dtype=dtype)
        assert made.dtype == numpy.dtype(dtype) and low <= int(made.min()) and int(made.max()) < high
    for n in (0, 1, 2, 1000):
        assert sorted(generator.permutation(n).tolist()) == list(range(n))
    rows = numpy.arange(20).reshape(10, 2)
    assert sorted(map(tuple, generator.permutation(rows).tolist())) == sorted(map(tuple, rows.tolist()))
    orders = collections.Counter(tuple(generator.permutation(3).tolist()) for _ in range(6000))
    assert len(orders) == 6 and all(850 < n < 1150 for n in orders.values())


def test_a_stream_with_a_seed():
    pytest.importorskip("numpy")

    def numbers(**options):
        generator = gpuctr.Generator("AES-128-STREAM", seed=bytes(range(16)), **options)
        return [generator.normal(size=3, dtype="f4").tolist(), generator.bytes(20), generator.random(2).tolist()]

    assert numbers() == numbers()
    # The first request is counter mode under the seed from counter block 0, the second from 1 << 64.
    made = gpuctr.Generator("AES-128-STREAM", seed=bytes(range(16)))
    cipher = gpuctr.Cipher("AES-128-CTR", bytes(range(16)))
    assert made.bytes(100) == cipher.encrypt(bytes(16), bytes(100))
    assert made.bytes(100) == cipher.encrypt((1 << 64).to_bytes(16, "big"), bytes(100))
    with pytest.raises(gpuctr.Error):
        gpuctr.Generator("AES-128-STREAM", seed=bytes(15))
    with pytest.raises(gpuctr.ArgumentError):
        numbers(nonce=bytes(8))


def test_numbers_that_are_refused():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(gpuctr.UnsupportedError, match="only stream generators"):
        gpuctr.Generator().normal(size=3)
    generator = gpuctr.Generator("AES-256-STREAM")
    out = numpy.full(8, 7, "f4")
    with pytest.raises(gpuctr.ArgumentError, match="stddev must not be negative"):
        generator.normal_(out, 0, -1)
    with pytest.raises(gpuctr.ArgumentError, match="is between low and high"):
        generator.uniform_(out, 1, 0)
    with pytest.raises(gpuctr.ArgumentError, match="integers have the type"):
        generator.integers_(out, 0, 5)
    with pytest.raises(gpuctr.ArrayTypeError, match="not of complex64"):
        generator.normal_(numpy.zeros(3, "c8"))
    with pytest.raises(gpuctr.ArrayTypeError):
        generator.normal_(bytearray(8))
    with pytest.raises(gpuctr.NotContiguousError):
        generator.normal_(out[::2])
    with pytest.raises(gpuctr.ArgumentError, match="shape"):
        generator.random(5, out=out)
    assert (out == 7).all() and len(set(generator.bytes(1000))) > 200


def test_threads_mix_bytes_and_numbers():
    pytest.importorskip("numpy")
    generator, wrong = gpuctr.Generator("AES-256-STREAM"), []

    def bytes_only():
        for _ in range(300):
            if len(set(generator.bytes(4096))) < 250:  # numbers below 1 have few different bytes
                wrong.append("bytes")

    def coins():
        for _ in range(300):
            if not set(generator.bernoulli(0.5, size=512, dtype="u1").tolist()) <= {0, 1}:
                wrong.append("coins")

    workers = [threading.Thread(target=work) for work in (bytes_only, coins, coins)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
