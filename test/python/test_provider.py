"""Provider: how the module is loaded, and what is said where it is not."""

import os
import pathlib
import shutil
import subprocess
import sys

import gpuctr
import pytest


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def test_what_it_offers():
    provider = gpuctr.default_provider()
    assert provider is gpuctr.default_provider()
    assert provider.version == os.environ.get("GPUCTR_VERSION", provider.version)
    assert provider.openssl_version.startswith("OpenSSL ") and provider.module == os.environ["GPUCTR_MODULE"]
    assert "LEA-256-GCM" in gpuctr.ciphers() and "DES-CBC" not in gpuctr.ciphers()
    assert "LEA-256-WRAP" not in gpuctr.ciphers()
    with pytest.raises(gpuctr.UnsupportedError, match="LEA-256-WRAP: Cipher does not take this mode"):
        gpuctr.Cipher("LEA-256-WRAP", bytes(32))
    assert "LEA-256-CTR-DRBG" in gpuctr.generators()
    assert set(gpuctr.ciphers()) <= set(gpuctr.Provider(legacy=True).ciphers())
    provider.self_test()
    before = provider.counters["cpu-bytes"]
    gpuctr.Cipher("LEA-128-CTR", bytes(16)).encrypt(bytes(16), bytes(100000))
    assert provider.counters["cpu-bytes"] > before and provider.gpu_failure == ""


def test_settings():
    scalar = gpuctr.Provider(cpu="scalar", gpu="off", threads=1, read_ahead="off")
    cipher = gpuctr.Cipher("LEA-128-CTR", bytes(16), provider=scalar)
    assert cipher.backend() == "scalar"
    assert cipher.encrypt(bytes(16), bytes(99)) == gpuctr.Cipher("LEA-128-CTR", bytes(16)).encrypt(bytes(16), bytes(99))
    for settings, text in (({"cpu": "none"}, "cpu = none"), ({"threads": 0}, "threads = 0"),
                           ({"gpus": "x"}, "gpus = x"), ({"gpu": "a\nb"}, "line end")):
        with pytest.raises(gpuctr.ProviderError, match=text):
            gpuctr.Provider(**settings)
    with pytest.raises(TypeError):
        gpuctr.Provider(thread=1)


def test_odd_paths(tmp_path):
    """What means something in a configuration file means nothing in a module's path."""
    folder = tmp_path / "a b\"c'd$HOME#e;f\\g=h%"
    folder.mkdir()
    copy = folder / "other.so"
    shutil.copy(os.environ["GPUCTR_MODULE"], copy)
    provider = gpuctr.Provider(copy)
    assert provider.module == str(copy) and provider.ciphers() == gpuctr.ciphers()


def test_no_configuration_is_read(tmp_path):
    """run.sh names an openssl.cnf in which gpuctr cannot be loaded. This one counts who opens it."""
    program = ("import gpuctr\nassert gpuctr.Cipher('LEA-256-GCM', bytes(32)).seal(bytes(12), b'')\n"
               "gpuctr.Generator(seed=bytes(32)).bytes(1)")
    wrong = tmp_path / "openssl.cnf"
    wrong.write_text("openssl_conf = [\n")
    done = run(program, OPENSSL_CONF=str(wrong))
    assert done.returncode == 0, done.stderr


def test_objects_outlive_the_package():
    """Held by a module that was imported before, they end when the package's modules have lost their names."""
    program = ("import types, gpuctr\ncipher, out = gpuctr.Cipher('LEA-128-GCM', bytes(16)), bytearray(16)\n"
               "message = cipher.decryptor(bytes(12))\nmessage.update_into(bytes(16), out)\n"
               "assert out != bytes(16)\nbatch = gpuctr.Batch('LEA-128-CTR', bytes(32))\n"
               "types.held = [gpuctr.Generator(seed=bytes(32)), cipher, batch, message]")
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_process_keeps_its_own_openssl():
    program = ("import gpuctr, ssl\nfrom gpuctr import _crypto\ngpuctr.Cipher('AES-256-CTR', bytes(32))\n"
               "crypto = _crypto.library()\nassert not crypto.EVP_CIPHER_fetch(None, b'LEA-256-CTR', None)\n"
               "available = crypto.OSSL_PROVIDER_available\navailable.argtypes = [_crypto.POINTER, _crypto.TEXT]\n"
               "assert not available(None, b'gpuctr')")
    done = run(program, OPENSSL_CONF="/dev/null")
    assert done.returncode == 0, done.stderr


def test_openssl_that_forgets_a_path_without_activate(tmp_path):
    """As OpenSSL 3.0.13 of Ubuntu 24.04 does: the module loads all the same, whatever its name, with its settings."""
    copy = tmp_path / "other.so"
    shutil.copy(os.environ["GPUCTR_MODULE"], copy)
    program = ("from gpuctr import provider\nimport gpuctr\nread = provider.Library._configure\n"
               "def forget(self, context, text):\n"
               "    lines = text.split(b'\\n')\n"
               "    if b'activate = 1' not in lines: lines = [line for line in lines if not line.startswith(b'module =')]\n"
               "    read(self, context, b'\\n'.join(lines))\n"
               "provider.Library._configure = forget\n"
               "assert 'BF-CBC' in gpuctr.Provider(legacy=True).ciphers()\n"
               f"assert 'BF-CBC' in gpuctr.Provider({str(copy)!r}, legacy=True).ciphers()\n"
               "try: gpuctr.Provider(cpu='none')\n"
               "except gpuctr.ProviderError as error: assert 'cpu = none: it takes auto' in str(error), error\n"
               "else: raise AssertionError('taken')\n"
               "assert gpuctr.Cipher('LEA-256-GCM', bytes(32)).seal(bytes(12), b'')\n")
    done = run(program)
    assert done.returncode == 0, done.stderr


def test_what_is_missing():
    program = "import gpuctr\ntry: gpuctr.ciphers()\nexcept gpuctr.ProviderError as error: print(error)"
    assert "the module /nonexistent.so does not load" in run(program, GPUCTR_MODULE="/nonexistent.so").stdout
    assert "there is no libcrypto" in run(program, GPUCTR_LIBCRYPTO="/nonexistent.so").stdout
    assert "there is no libcrypto" in run(program, GPUCTR_LIBCRYPTO="libc.so.6").stdout
    package = pathlib.Path(gpuctr.__file__).parent
    assert run("import gpuctr\nprint(gpuctr.module_path())",
               GPUCTR_MODULE="").stdout.strip() == str(package / "gpuctr.so")
