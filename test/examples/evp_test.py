"""The tests of provider/examples/evp.py, with the card of test/bulk/fake_module.cpp behind the provider."""

import ctypes
import os
import subprocess
import sys
import unittest

import evp
import numpy

KEY, IV = bytes(range(16)), bytes.fromhex("00112233445566778899aabbfffffffe")
DATA = bytes(i * 7 % 256 for i in range(100003))


def by_openssl(data):
    """The same by the openssl command, which knows nothing of evp.py."""
    command = ["openssl", "enc", "-aes-128-ctr", "-K", KEY.hex(), "-iv", IV.hex()]
    return subprocess.run(command, input=data, capture_output=True, check=True, env={"OPENSSL_CONF": "/dev/null"}).stdout


class Tensor:
    """Memory of a card, as PyTorch and CuPy show theirs."""

    def __init__(self, address, size, readonly=False, strides=None):
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (address, readonly), "strides": strides, "version": 3}


class Evp(unittest.TestCase):
    def test_bytes_and_arrays(self):
        sealed = by_openssl(DATA)
        out = bytearray(len(DATA))
        evp.ctr("AES-128-CTR", KEY, IV, DATA, out)
        self.assertEqual(bytes(out), sealed)
        evp.ctr("AES-128-CTR", KEY, IV, out)
        self.assertEqual(bytes(out), DATA)
        array = numpy.frombuffer(DATA[:100000], dtype="<u4").reshape(100, 250).copy()
        evp.ctr("AES-128-CTR", KEY, IV, array)
        self.assertEqual(array.tobytes(), sealed[:100000])

    def test_a_piece_from_the_middle(self):
        sealed = by_openssl(DATA)
        piece = bytearray(1000)
        for offset in (0, 1, 15, 16, 31, 4097, 99003):
            for n in (0, 1, 17, 1000):
                evp.ctr("AES-128-CTR", KEY, IV, sealed[offset : offset + n], piece, offset)
                self.assertEqual(bytes(piece[:n]), DATA[offset : offset + n])

    def test_pieces_of_an_update(self):
        evp.PIECE, before = 4096, evp.PIECE
        out = bytearray(len(DATA))
        evp.ctr("AES-128-CTR", KEY, IV, DATA, out)
        evp.PIECE = before
        self.assertEqual(bytes(out), by_openssl(DATA))

    def test_memory_of_a_card(self):
        first = bytearray(DATA)
        evp.ctr("LEA-128-CTR", KEY, IV, first)  # asks for the first pointer, which starts the card
        getenv = ctypes.CDLL(None).getenv
        getenv.restype, getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
        card, shadow = (int(text, 16) for text in getenv(b"GPUCTR_FAKE_AT").split())
        ctypes.memmove(shadow, DATA, len(DATA))
        evp.ctr("LEA-128-CTR", KEY, IV, Tensor(card, len(DATA)))
        self.assertEqual(ctypes.string_at(shadow, len(DATA)), bytes(first))
        host = bytearray(len(DATA) - 5)
        evp.ctr("LEA-128-CTR", KEY, IV, Tensor(card + 5, len(host)), host, offset=5)
        self.assertEqual(bytes(host), DATA[5:])
        evp.randomize(Tensor(card, len(DATA)))
        random = ctypes.string_at(shadow, len(DATA))
        self.assertEqual(len(set(random)), 256)
        self.assertNotEqual(random, bytes(first))

    def test_refusals(self):
        data = bytearray(64)
        for key, iv, source, out in (
            (KEY[1:], IV, data, None), (KEY, IV[1:], data, None), (KEY, IV, data, bytearray(63)),
            (KEY, IV, numpy.zeros((8, 8), "u1").T[::2], None), (KEY, IV, Tensor(4096, 64, readonly=True), None),
            (KEY, IV, Tensor(4096, 64, strides=(2,)), None),
        ):
            with self.assertRaises(ValueError):
                evp.ctr("LEA-128-CTR", key, iv, source, out)
        with self.assertRaises(TypeError):
            evp.ctr("LEA-128-CTR", KEY, IV, bytes(64))  # in place, and cannot be written
        with self.assertRaisesRegex(OSError, "NONE-CTR: unsupported"):
            evp.ctr("NONE-CTR", KEY, IV, data)
        # Modes whose bytes would not be those of counter mode, of two providers.
        data[:] = DATA[:64]
        for name in ("LEA-128-CBC", "LEA-128-ECB", "LEA-128-GCM", "LEA-128-CCM", "AES-128-CBC", "ChaCha20"):
            for out in (None, bytearray(64)):
                with self.assertRaisesRegex(ValueError, f"{name} is not a cipher in counter mode"):
                    evp.ctr(name, KEY, IV, data, out)
                self.assertIn(out, (None, bytes(64)))
        self.assertEqual(data, DATA[:64])

    def test_the_provider_is_loaded(self):
        """In a program without a configuration, gpuctr is loaded, and the default provider stays."""
        program = ("import evp, sys\nfor name in sys.argv[1:]:\n"
                   "  data = bytearray(16)\n  evp.ctr(name, bytes(16), bytes(16), data)\n  print(data.hex())")
        environment = {**os.environ, "OPENSSL_CONF": "/dev/null"}

        def run(folder, *names):
            environment["OPENSSL_MODULES"] = folder
            return subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True,
                                  check=False, env=environment)

        loaded = run(os.environ["GPUCTR_MODULE_FOLDER"], "LEA-128-CTR", "AES-128-CTR")
        expected = bytearray(16)
        evp.ctr("LEA-128-CTR", bytes(16), bytes(16), expected)
        self.assertEqual(loaded.stdout.splitlines(), [expected.hex(), "66e94bd4ef8a2c3b884cfa59ca342b2e"], loaded.stderr)
        # Without the module the exception names the cipher and OpenSSL's reasons.
        absent = run("/nonexistent", "LEA-128-CTR")
        self.assertNotEqual(absent.returncode, 0)
        self.assertRegex(absent.stderr, r"LEA-128-CTR: unsupported.*; .*/nonexistent/gpuctr\.so")

    def test_random(self):
        array = numpy.zeros(1 << 16, "u1")
        evp.randomize(array)
        self.assertEqual(len(set(array.tolist())), 256)


unittest.main()
