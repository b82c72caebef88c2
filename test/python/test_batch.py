"""Batch: the bytes of Cipher for each message, results, and refusals."""

import array
import random

import gpuctr
import numpy
import pytest

MODES = ["CTR", "CBC", "GCM", "CCM"]


class Messages:
    """Random messages as arrays, and what Cipher makes of each."""

    def __init__(self, name, seed, keys=5, count=40, offsets=False):
        r = random.Random(seed)
        self.name, self.count, mode = name, count, name[-3:]
        self.aead = mode in ("GCM", "CCM")
        self.keys = numpy.frombuffer(r.randbytes(16 * keys), "uint8").reshape(keys, 16)
        self.index = numpy.array([r.randrange(keys) for _ in range(count)], "uint32")
        self.ivs = [r.randbytes(12 if self.aead else 16) for _ in range(count)]
        self.texts = [r.randbytes(r.randrange(8) * 16 if mode == "CBC" else r.randrange(100)) for _ in range(count)]
        self.aads = [r.randbytes(r.randrange(30)) for _ in range(count)] if self.aead else [b""] * count
        sealed = [self.one(i) for i in range(count)]
        self.sealed = [s[:len(t)] for s, t in zip(sealed, self.texts)]
        self.tags = b"".join(s[len(t):] for s, t in zip(sealed, self.texts))
        self.lengths = [len(t) for t in self.texts]
        order = list(range(count))
        r.shuffle(order)
        self.offsets, at = [0] * count, 0
        for i in order if offsets else range(count):
            self.offsets[i], at = at, at + self.lengths[i] + (3 if offsets else 0)
        self.size = at

    def one(self, i):
        cipher = gpuctr.Cipher(self.name, self.keys[self.index[i]], **({} if self.aead or "CTR" in self.name
                                                                       else {"padding": False}))
        if self.aead:
            return cipher.seal(self.ivs[i], self.texts[i], self.aads[i])
        return cipher.encrypt(self.ivs[i], self.texts[i])

    def place(self, texts):
        data = bytearray(self.size)
        for at, text in zip(self.offsets, texts):
            data[at:at + len(text)] = text
        return data

    def arrays(self, offsets):
        more = {"aad": b"".join(self.aads), "aad_lengths": [len(a) for a in self.aads]} if self.aead else {}
        return {"lengths": self.lengths, "index": self.index, **more, **({"offsets": self.offsets} if offsets else {})}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("offsets", [False, True])
def test_the_bytes_are_those_of_cipher(mode, offsets):
    m = Messages("LEA-128-" + mode, mode, offsets=offsets)
    ivs, plain, sealed = b"".join(m.ivs), m.place(m.texts), m.place(m.sealed)
    with gpuctr.Batch(m.name, m.keys) as batch:
        assert (batch.name, batch.key_count, batch.iv_length) == (m.name, 5, len(m.ivs[0]))
        data, out = bytearray(plain), bytearray(len(plain))
        if not m.aead:
            assert batch.encrypt_into(ivs, data, **m.arrays(offsets)) is None
            assert data == sealed
            batch.decrypt_into(ivs, data, **m.arrays(offsets), out=out)
            assert out == plain
            return
        tags = numpy.zeros((m.count, 16), "uint8")
        batch.seal_into(ivs, data, tags, **m.arrays(offsets))
        assert data == sealed and tags.tobytes() == m.tags
        assert batch.open_into(ivs, sealed, tags, **m.arrays(offsets), out=out) == b"\1" * m.count
        assert out == plain
        tags[7, 3] ^= 1
        good = batch.open_into(ivs, data, tags, **m.arrays(offsets))
        assert good == b"\1" * 7 + b"\0" + b"\1" * (m.count - 8)
        m.texts[7] = bytes(len(m.texts[7]))
        assert data == m.place(m.texts)


def test_one_key_and_a_key_each():
    text, ivs = bytes(range(96)), bytes(48)
    for keys in (bytes(16), bytes(range(48))):
        data = bytearray(text)
        with gpuctr.Batch("LEA-128-CTR", keys) as batch:
            batch.encrypt_into(ivs, data)
        step = len(keys) // 3 // 16 * 16
        for i in range(3):
            cipher = gpuctr.Cipher("LEA-128-CTR", keys[i * step:i * step + 16])
            assert data[32 * i:32 * i + 32] == cipher.encrypt(bytes(16), text[32 * i:32 * i + 32])


def test_lengths_of_ivs_and_tags():
    for name, settings in (("AES-128-CCM", {"iv_length": 13, "tag_length": 8}), ("AES-128-GCM", {"iv_length": 16})):
        with gpuctr.Batch(name, bytes(32), **settings) as batch:
            tags, data = bytearray(2 * batch.tag_length), bytearray(64)
            batch.seal_into(bytes(range(2 * batch.iv_length)), data, tags, index=[1, 0], aad=b"ab", aad_lengths=1)
            cipher = gpuctr.Cipher(name, bytes(16), tag_length=batch.tag_length)
            assert cipher.seal(bytes(range(batch.iv_length)), bytes(32), b"a") == data[:32] + tags[:batch.tag_length]
    cut = gpuctr.Batch("AES-128-GCM", bytes(16), tag_length=4)
    sealed = gpuctr.Cipher("AES-128-GCM", bytes(16)).seal(bytes(12), b"text")
    data = bytearray(sealed[:4])
    assert cut.open_into(bytes(12), data, sealed[4:8]) == b"\1" and data == b"text"
    with pytest.raises(gpuctr.UnsupportedError):
        cut.seal_into(bytes(12), data, bytearray(4))


def test_refusals_write_nothing():
    batch = gpuctr.Batch("LEA-128-GCM", bytes(range(32)))
    data, tags, ivs = bytearray(range(40)), bytearray(32), bytes(24)
    for bad in ({"lengths": [1]}, {"lengths": [20, 21]}, {"lengths": numpy.array([20, 20], "int64")}, {"index": [0, 2]},
                {"index": [0, -1]}, {"offsets": [0, 19]}, {"offsets": [0, 1 << 63]}, {"aad": b"abc"},
                {"aad": b"abc", "aad_lengths": [1, 3]}, {"lengths": "ab"}):
        with pytest.raises(gpuctr.Error) as caught:
            batch.seal_into(ivs, data, tags, **bad)
        assert isinstance(caught.value, ValueError), bad
        assert data == bytes(range(40)) and tags == bytes(32)
    for call in (lambda: batch.seal_into(bytes(23), data, tags), lambda: batch.seal_into(bytes(12), data, tags),
                 lambda: batch.seal_into(ivs, data, bytearray(31)), lambda: batch.seal_into(ivs, bytes(40), tags),
                 lambda: batch.seal_into(ivs, data, tags, out=bytearray(39)),
                 lambda: batch.seal_into(ivs, data, tags, out=memoryview(data)[1:]),
                 lambda: gpuctr.Batch("LEA-128-GCM", bytes(17)), lambda: gpuctr.Batch("LEA-128-GCM", b""),
                 lambda: gpuctr.Batch("LEA-128-CCM", bytes(16), iv_length=6),
                 lambda: gpuctr.Batch("LEA-128-CCM", bytes(16), tag_length=5),
                 lambda: gpuctr.Batch("LEA-128-CTR", bytes(16), ctr_bits=-1),
                 lambda: gpuctr.Batch("LEA-128-CTR", bytes(16), ctr_bits=(1 << 32) + 32)):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: batch.encrypt_into(ivs, data), lambda: gpuctr.Batch("LEA-128-ECB", bytes(16)),
                 lambda: gpuctr.Batch("LEA-128-CTR", bytes(16), tag_length=4)):
        with pytest.raises(gpuctr.UnsupportedError):
            call()
    assert data == bytes(range(40)) and tags == bytes(32)
    batch.seal_into(ivs, data, tags, lengths=array.array("I", [20, 20]))
    batch.close()
    with pytest.raises(gpuctr.ArgumentError):
        batch.seal_into(ivs, data, tags)
