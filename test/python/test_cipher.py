"""Cipher and Message: results of calls, refusals, and what failures leave behind."""

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading

import gpuctr
import gpuctr._context
import gpuctr._crypto
import gpuctr.cipher
import gpuctr.memory
import pytest

KEY, NONCE, TEXT = bytes(range(32)), bytes(range(12)), bytes(range(256)) * 10
AEADS = ["LEA-256-GCM", "LEA-256-CCM", "AES-256-GCM-SIV"]


@pytest.mark.parametrize("name", AEADS)
def test_a_wrong_tag_leaves_zeros(name):
    cipher = gpuctr.Cipher(name, KEY)
    for text in (TEXT, b"x"):
        sealed = cipher.seal(NONCE, text, b"aad")
        size = len(text)
        assert cipher.open(NONCE, sealed, b"aad") == text
        for at, aad in ((0, b"aad"), (size, b"aad"), (-1, b"aad"), (None, b"aae"), (None, None)):
            changed = bytearray(sealed)
            if at is not None:
                changed[at] ^= 1
            with pytest.raises(gpuctr.InvalidTag) as caught:
                cipher.open(NONCE, changed, aad)
            assert not isinstance(caught.value, gpuctr.OperationError)
            buffer, out = bytearray(changed[:size]), bytearray(b"\xaa" * (size + 7))
            with pytest.raises(gpuctr.InvalidTag):
                cipher.open_into(NONCE, changed[:size], bytes(changed[size:]), out, aad=aad)
            assert out == bytes(size) + b"\xaa" * 7
            with pytest.raises(gpuctr.InvalidTag):
                cipher.open_into(NONCE, buffer, bytes(changed[size:]), aad=aad)
            assert buffer == bytes(size)


def test_the_text_of_a_wrong_tag_is_in_no_bytes_object(monkeypatch):
    """open() decrypts into a bytes object that the caller never sees; it is zeroed too."""
    made = []

    def kept(size):
        made.append(gpuctr.memory.new_bytes(size))
        return made[-1]

    monkeypatch.setattr(gpuctr.cipher, "new_bytes", kept)
    for name in AEADS:
        cipher = gpuctr.Cipher(name, KEY)
        sealed = cipher.seal(NONCE, TEXT)
        with pytest.raises(gpuctr.InvalidTag):
            cipher.open(NONCE, sealed[:-1] + bytes([sealed[-1] ^ 1]))
        assert made[-1][0] == bytes(len(TEXT))
    cbc = gpuctr.Cipher("LEA-256-CBC", KEY)
    with pytest.raises(gpuctr.OperationError):
        cbc.decrypt(bytes(16), gpuctr.Cipher("LEA-256-CBC", KEY, padding=False).encrypt(bytes(16), bytes(160)))
    assert made[-1][0] == bytes(160)


def test_wrong_padding():
    cipher, raw = gpuctr.Cipher("LEA-256-CBC", KEY), gpuctr.Cipher("LEA-256-CBC", KEY, padding=False)
    sealed = raw.encrypt(bytes(16), b"\x77" * 64)
    for buffer, out in ((bytearray(sealed), None), (sealed, bytearray(b"\xaa" * 64))):
        with pytest.raises(gpuctr.OperationError, match="bad decrypt") as caught:
            cipher.decrypt_into(bytes(16), buffer, out)
        assert caught.value.reasons[0].number == 100  # PROV_R_BAD_DECRYPT
        assert (buffer if out is None else out) == bytes(64)


def test_arguments():
    for name, length in (("LEA-256-GCM", 31), ("LEA-128-CTR", 32), ("AES-128-CBC", 0)):
        with pytest.raises(gpuctr.ArgumentError, match=f"{name}: the key has {length} bytes"):
            gpuctr.Cipher(name, bytes(length))
    for name in ("NONE-CTR", "LEA-256", "", "AES-256-XTX", "AES\0", "ÄES-256-GCM", "ChaCha20", "DES-EDE3-CBC"):
        with pytest.raises(gpuctr.UnsupportedError):
            gpuctr.Cipher(name, KEY)
    for name, settings in (("LEA-256-GCM", {"padding": True}), ("LEA-256-CTR", {"tag_length": 16}),
                           ("LEA-256-CBC", {"ctr_bits": 32}), ("LEA-256-CTR", {"tweak": bytes(16)})):
        with pytest.raises(gpuctr.UnsupportedError, match=f"{name} has no {next(iter(settings))}"):
            gpuctr.Cipher(name, KEY, **settings)
    for name, settings in (("LEA-256-GCM", {"tag_length": 0}), ("LEA-256-GCM", {"tag_length": 17}),
                           ("LEA-256-CCM", {"tag_length": 5}), ("LEA-256-CTR", {"ctr_bits": -1})):
        with pytest.raises(gpuctr.ArgumentError):
            gpuctr.Cipher(name, KEY, **settings)
    with pytest.raises(gpuctr.OperationError, match="ctr-bits = 7"):
        gpuctr.Cipher("LEA-256-CTR", KEY, ctr_bits=7)
    ctr, gcm = gpuctr.Cipher("LEA-256-CTR", KEY), gpuctr.Cipher("LEA-256-GCM", KEY)
    cbc, ecb = gpuctr.Cipher("LEA-256-CBC", KEY, padding=False), gpuctr.Cipher("LEA-256-ECB", KEY)
    data = bytearray(TEXT)
    for call in (
        lambda: ctr.encrypt_into(bytes(15), data), lambda: ctr.encrypt_into(None, data),
        lambda: ctr.encrypt_into(bytes(16), data, offset=-1), lambda: ctr.encrypt_into("0" * 16, data),
        lambda: gcm.seal_into(b"", data), lambda: gcm.seal_into(bytes(129), data),
        lambda: gcm.open_into(NONCE, data, bytes(15)), lambda: gcm.open(NONCE, bytes(15)),
        lambda: gpuctr.Cipher("LEA-256-CCM", KEY).seal_into(bytes(14), data),
        lambda: cbc.encrypt_into(bytes(16), memoryview(data)[1:]), lambda: cbc.encrypt_into(bytes(16), data, offset=16),
        lambda: ecb.encrypt_into(bytes(16), data, bytearray(9999)), lambda: ecb.encrypt_into(None, data),
        lambda: ecb.decrypt(None, b""), lambda: ecb.decrypt(None, bytes(17)), lambda: gcm.encryptor(b""),
    ):
        with pytest.raises(gpuctr.ArgumentError):
            call()
    for call in (lambda: ctr.seal(NONCE, data), lambda: ctr.open_into(NONCE, data, bytes(16)),
                 lambda: gcm.encrypt(NONCE, data), lambda: gcm.decrypt_into(NONCE, data),
                 lambda: gpuctr.Cipher("LEA-256-CCM", KEY).encryptor(bytes(12)),
                 lambda: ctr.encryptor(bytes(16), aad=b"x"), lambda: gcm.decryptor(NONCE).update(data)):
        with pytest.raises(gpuctr.UnsupportedError):
            call()
    assert data == TEXT


def test_the_counter_runs_out_before_anything_is_written():
    cipher = gpuctr.Cipher("AES-128-CTR", bytes(16), ctr_bits=16)
    data = bytearray((1 << 20) + 1)
    with pytest.raises(gpuctr.OperationError, match="counter exhausted"):
        cipher.encrypt_into(bytes(16), data)
    assert data == bytes(len(data))


def test_updates_of_several_pieces(monkeypatch):
    """An update of EVP takes an int; here it takes a kilobyte."""
    text = os.urandom(100003)
    expected = [gpuctr.Cipher(name, KEY).seal(NONCE, text, text) for name in ("AES-256-GCM",)]
    counter = gpuctr.Cipher("LEA-256-CTR", KEY).encrypt(bytes(16), text)
    padded = gpuctr.Cipher("LEA-256-CBC", KEY).encrypt(bytes(16), text)
    narrow = gpuctr.Cipher("AES-128-CTR", bytes(16), ctr_bits=16)
    monkeypatch.setattr(gpuctr._context, "PIECE", 1024)
    cipher = gpuctr.Cipher("AES-256-GCM", KEY)
    assert cipher.seal(NONCE, text, text) == expected[0] and cipher.open(NONCE, expected[0], text) == text
    assert gpuctr.Cipher("LEA-256-CTR", KEY).encrypt(bytes(16), text) == counter
    assert gpuctr.Cipher("LEA-256-CBC", KEY).decrypt(bytes(16), padded) == text
    # The last piece is refused, after others were written: zeros.
    data = bytearray(b"x" * ((1 << 20) + 1))
    with pytest.raises(gpuctr.OperationError, match="counter exhausted"):
        narrow.encrypt_into(bytes(16), data)
    assert data == bytes(len(data))


def test_messages_in_pieces():
    cipher = gpuctr.Cipher("LEA-256-GCM", KEY)
    sealed = cipher.seal(NONCE, TEXT, b"aad")
    with cipher.encryptor(NONCE, aad=b"aad") as message:
        with pytest.raises(gpuctr.ArgumentError):
            message.tag
        buffer = bytearray(TEXT)
        assert message.update_into(buffer) == len(TEXT) and message.finalize() == b""
        assert buffer + message.tag == sealed
    with pytest.raises(gpuctr.ArgumentError, match="ended"):
        message.update(b"x")
    first, second = bytearray(sealed[:100]), bytearray(len(TEXT))
    message = cipher.decryptor(NONCE, aad=b"aad")
    message.update_into(first)
    message.update_into(sealed[100:-16], second)
    assert message.finalize(sealed[-16:]) == b"" and first + second[: len(TEXT) - 100] == TEXT
    first.append(1)
    # Without padding, whole blocks in place.
    cbc = gpuctr.Cipher("LEA-256-CBC", KEY, padding=False)
    message, buffer = cbc.encryptor(bytes(16)), bytearray(TEXT)
    view = memoryview(buffer)
    assert message.update_into(view[:160]) == 160
    with pytest.raises(gpuctr.ArgumentError, match="whole blocks"):
        message.update_into(view[160:170])
    with pytest.raises(gpuctr.ArgumentError, match="may write"):
        message.update_into(view[160:190], bytearray(15))
    assert message.update_into(view[160:]) == len(TEXT) - 160 and message.finalize() == b""
    assert buffer == cbc.encrypt(bytes(16), TEXT)
    message = cbc.encryptor(bytes(16))
    message.update(b"1")
    with pytest.raises(gpuctr.OperationError, match="wrong final block length"):
        message.finalize()


@pytest.mark.parametrize("how", ["tag", "close", "forget", "with"])
def test_pieces_that_are_not_authenticated_become_zeros(how):
    cipher = gpuctr.Cipher("LEA-256-GCM", KEY)
    sealed = cipher.seal(NONCE, TEXT)
    first, second = bytearray(sealed[:100]), bytearray(b"\xaa" * len(TEXT))
    message = cipher.decryptor(NONCE)
    message.update_into(first)
    message.update_into(sealed[100:-16], second)
    assert first == TEXT[:100]
    if how == "tag":
        with pytest.raises(gpuctr.InvalidTag):
            message.finalize(bytes(16))
    elif how == "close":
        message.close()
    elif how == "with":
        with pytest.raises(RuntimeError), message:
            raise RuntimeError
    else:
        del message
        gc.collect()
    assert first == bytes(100) and second == bytes(len(TEXT) - 100) + b"\xaa" * 100


def test_threads():
    cipher = gpuctr.Cipher("LEA-256-GCM", KEY)
    failures = []

    def work(number):
        nonce, text = number.to_bytes(12, "big"), os.urandom(5000)
        for _ in range(40):
            if cipher.open(nonce, cipher.seal(nonce, text)) != text:
                failures.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_close_wipes_the_key():
    cipher = gpuctr.Cipher("LEA-256-GCM", KEY)
    key = cipher._key
    assert key.raw == KEY
    message = cipher.encryptor(NONCE)
    message.update(b"a")
    cipher.close()
    cipher.close()
    assert key.raw == bytes(32)
    assert message.update(b"b") and message.finalize() == b""
    with pytest.raises(gpuctr.ArgumentError, match="closed"):
        cipher.seal(NONCE, TEXT)
    other = gpuctr.Cipher("LEA-256-GCM", KEY)
    key = other._key
    del other
    gc.collect()
    assert key.raw == bytes(32)


def test_it_is_not_pickled_and_shows_no_key():
    cipher = gpuctr.Cipher("lea-256-gcm", b"SECRETSECRETSECRETSECRETSECRETSE")
    for refused in (cipher, gpuctr.Generator()):
        with pytest.raises(TypeError):
            pickle.dumps(refused)
    assert repr(cipher) == "<gpuctr.Cipher LEA-256-GCM>"
    error = pickle.loads(pickle.dumps(gpuctr.InvalidTag("x", [gpuctr.Reason(57, 102, "a", "b")])))
    assert type(error) is gpuctr.InvalidTag and str(error) == "x; a: b" and error.reasons[0].data == "b"


def test_forked_children_work():
    program = ("import gpuctr, os\nc = gpuctr.Cipher('LEA-256-GCM', bytes(32))\na = c.seal(bytes(12), b'x')\n"
               "g = gpuctr.Generator()\np = os.fork()\n"
               "if p == 0: os._exit(0 if c.seal(bytes(12), b'x') == a and len(g.bytes(9)) == 9 else 1)\n"
               "raise SystemExit(os.waitpid(p, 0)[1])")
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_errors_of_others_stay_out():
    """Entries that another user of libcrypto left on the queue are not reported as causes."""
    crypto = gpuctr._crypto.library()
    assert not crypto.EVP_CIPHER_fetch(None, b"NONE-OF-THESE", None)
    cipher = gpuctr.Cipher("LEA-256-GCM", KEY)
    with pytest.raises(gpuctr.InvalidTag) as caught:
        cipher.open(NONCE, bytes(40))
    assert caught.value.reasons == ()
    assert ctypes.c_ulong(crypto.ERR_get_error_all(None, None, None, None, None)).value == 0
