"""Published vectors of the cipher folders, and Python's `cryptography` as a peer."""

import os
import random

import gpuctr
import pytest
from conftest import vectors

SIZES = (0, 1, 15, 16, 17, 31, 32, 100, 4096, 100003)


def offered(provider, entry):
    return entry["Cipher"] in provider.ciphers()


def test_published_vectors(legacy):
    seen = set()
    for entry in vectors("vectors.txt"):
        if not offered(legacy, entry):
            continue
        name, text, sealed = entry["Cipher"], entry["Plaintext"], entry["Ciphertext"]
        settings = {} if name.endswith("CTR") else {"padding": False}
        if "Tweak" in entry:
            settings["tweak"] = entry["Tweak"]
        with gpuctr.Cipher(name, entry["Key"], provider=legacy, **settings) as cipher:
            assert cipher.encrypt(entry.get("IV"), text) == sealed, entry
            buffer = bytearray(sealed)
            assert cipher.decrypt_into(entry.get("IV"), buffer) == len(text)
            assert buffer == text, entry
        seen.add(name)
    assert seen


@pytest.mark.parametrize("file", ["gcm.txt", "ccm.txt"])
def test_published_vectors_that_authenticate(legacy, file):
    for entry in vectors(file):
        if not offered(legacy, entry):
            continue
        cipher = gpuctr.Cipher(entry["Cipher"], entry["Key"], tag_length=len(entry["Tag"]), provider=legacy)
        sealed = entry["Ciphertext"] + entry["Tag"]
        assert cipher.seal(entry["IV"], entry["Plaintext"], entry["AAD"]) == sealed, entry
        assert cipher.open(entry["IV"], sealed, entry["AAD"]) == entry["Plaintext"], entry


def peers():
    from cryptography.hazmat.primitives.ciphers import algorithms, modes

    try:
        from cryptography.hazmat.decrepit.ciphers import algorithms as old
    except ImportError:
        old = algorithms
    found = {"AES": algorithms.AES, "CAMELLIA": getattr(old, "Camellia", None) or algorithms.Camellia,
             "SEED": getattr(old, "SEED", None) or algorithms.SEED,
             "DES-EDE3": getattr(old, "TripleDES", None) or algorithms.TripleDES}
    return found, modes


@pytest.mark.parametrize("name", ["AES-128", "AES-192", "AES-256", "CAMELLIA-128", "CAMELLIA-192", "CAMELLIA-256",
                                  "SEED", "DES-EDE3"])
@pytest.mark.parametrize("mode", ["CTR", "CBC", "ECB"])
def test_cryptography_agrees(legacy, name, mode):
    pytest.importorskip("cryptography")
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.ciphers import Cipher

    if f"{name}-{mode}" not in legacy.ciphers():
        pytest.skip("not in this module")
    found, modes = peers()
    bits = name.rpartition("-")[2]
    key = os.urandom({"SEED": 16, "DES-EDE3": 24}.get(name) or int(bits) // 8)
    algorithm = found[name if name in found else name.rpartition("-")[0]](key)
    block = algorithm.block_size // 8
    iv = None if mode == "ECB" else os.urandom(block)
    ours = gpuctr.Cipher(f"{name}-{mode}", key, provider=legacy, **({"padding": False} if mode in ("ECB", "CBC") else {}))
    for size in SIZES:
        if mode != "CTR":
            size -= size % block
        text = random.randbytes(size) if hasattr(random, "randbytes") else os.urandom(size)
        try:
            peer = Cipher(algorithm, getattr(modes, mode)(*([] if iv is None else [iv]))).encryptor()
        except UnsupportedAlgorithm as error:
            pytest.skip(str(error))
        sealed = peer.update(text) + peer.finalize()
        assert ours.encrypt(iv, text) == sealed
        assert ours.decrypt(iv, sealed) == text


@pytest.mark.parametrize("mode,peer", [("GCM", "AESGCM"), ("CCM", "AESCCM"), ("GCM-SIV", "AESGCMSIV")])
def test_cryptography_agrees_with_tags(mode, peer):
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    if not hasattr(aead, peer):
        pytest.skip(f"this cryptography has no {peer}")
    for size in SIZES[:-1]:
        key, nonce, text, aad = os.urandom(32), os.urandom(12), os.urandom(size), os.urandom(size % 50)
        ours, theirs = gpuctr.Cipher(f"AES-256-{mode}", key), getattr(aead, peer)(key)
        sealed = theirs.encrypt(nonce, text, aad)
        assert ours.seal(nonce, text, aad) == sealed
        assert theirs.decrypt(nonce, ours.seal(nonce, text, aad), aad) == text


def test_cryptography_agrees_on_padding():
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives import padding
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    key, iv = os.urandom(16), os.urandom(16)
    for size in range(40):
        text, pad = os.urandom(size), padding.PKCS7(128).padder()
        peer = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
        sealed = peer.update(pad.update(text) + pad.finalize()) + peer.finalize()
        assert gpuctr.Cipher("AES-128-CBC", key).encrypt(iv, text) == sealed


def test_every_cipher_there_and_back(legacy):
    """Each name of the module: a key of its usual length, whole and in pieces, and in place."""
    keys = {"BF": 16, "CAST5": 16, "THREEFISH-1024": 128}
    for name in legacy.ciphers():
        base, _, mode = name.rpartition("-")
        for length in ([keys[base]] if base in keys else (8, 16, 24, 32, 64)):
            try:
                cipher = gpuctr.Cipher(name, bytes(range(length)), provider=legacy)
                break
            except gpuctr.ArgumentError:
                continue
        assert cipher.name == name and cipher.key_length == length
        assert name.rstrip("18").endswith("-" + cipher.mode)
        iv = os.urandom(cipher.iv_length) if cipher.iv_length else None
        text = os.urandom(1000)
        if cipher.is_aead:
            assert cipher.open(iv, cipher.seal(iv, text)) == text
        else:
            sealed = cipher.encrypt(iv, text)
            assert cipher.decrypt(iv, sealed) == text and sealed[:900] != text[:900]
            buffer = bytearray(text) if cipher.block_size == 1 else bytearray(512)
            plain = gpuctr.Cipher(name, bytes(range(length)), provider=legacy,
                                  **({"padding": False} if mode in ("ECB", "CBC") else {}))
            before = bytes(buffer)
            plain.encrypt_into(iv, buffer)
            assert buffer != before
            plain.decrypt_into(iv, buffer)
            assert buffer == before
        if cipher.mode in ("CCM", "GCM-SIV", "XTS"):
            with pytest.raises(gpuctr.UnsupportedError):
                cipher.encryptor(iv)
        else:
            in_pieces(cipher, iv, text)


def in_pieces(cipher, iv, text):
    whole = cipher.seal(iv, text) if cipher.is_aead else cipher.encrypt(iv, text)
    cuts = [0, 1, 5, 16, 17, 300, 301, len(text)]
    message = cipher.encryptor(iv)
    made = b"".join(message.update(text[a:b]) for a, b in zip(cuts, cuts[1:])) + message.finalize()
    assert made + (message.tag if cipher.is_aead else b"") == whole
    message, made = cipher.decryptor(iv), bytearray()
    for a, b in zip(cuts, [*cuts[1:-1], len(whole) - cipher.tag_length]):
        piece = bytearray(b - a + cipher.block_size)
        made += piece[: message.update_into(whole[a:b], piece)]
    made += message.finalize(*([whole[-cipher.tag_length :]] if cipher.is_aead else []))
    assert made == text


def test_offsets(legacy):
    """A piece from the middle of a message, also where the counter wraps, and with a narrow counter."""
    for name, key, iv, bits in (("AES-128-CTR", 16, "ff" * 15 + "fe", None), ("LEA-256-CTR", 32, "00" * 16, None),
                                ("HIGHT-CTR", 16, "ff" * 8, None), ("AES-128-CTR", 16, "ab" * 14 + "fff0", 16),
                                ("THREEFISH-512-CTR", 64, "00" * 16, None)):
        if name not in legacy.ciphers():
            continue
        cipher = gpuctr.Cipher(name, os.urandom(key), ctr_bits=bits, provider=legacy)
        iv, text = bytes.fromhex(iv), os.urandom(10000)
        sealed = cipher.encrypt(iv, text)
        for offset in (0, 1, 15, 16, 31, 64, 4097, 9990):
            for size in (0, 1, 9, 1000):
                assert cipher.decrypt(iv, sealed[offset : offset + size], offset=offset) == text[offset : offset + size]
        message = cipher.decryptor(iv, offset=4097)
        assert message.update(sealed[4097:5000]) + message.update(sealed[5000:]) == text[4097:]
