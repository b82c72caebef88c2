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
