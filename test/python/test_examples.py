"""The programs of provider/python/examples, each as a process of its own, and what they print."""

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

EXAMPLES = {"arrays.py": ("numpy", "refused: LEA-256-GCM: the tag does not belong to this message; the array has 0 "),
            "to_openssl.py": ("gpuctr", "15000 bytes from Python to openssl, and back\n"),
            "jax_arrays.py": ("jax", "313600 bytes of a JAX array sealed and opened; deviation 1.0; "),
            "checkpoint.py": ("torch", "4 tensors of "), "private_training.py": ("opacus", "")}


def test_all_are_known():
    assert {path.name for path in pathlib.Path(ROOT, "provider/python/examples").glob("*.py")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    needs, said = EXAMPLES[name]
    pytest.importorskip(needs)
    done = subprocess.run([sys.executable, ROOT / "provider/python/examples" / name], capture_output=True, text=True,
                          check=False, env={**os.environ, "OPENSSL_CONF": "/dev/null"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(said) and done.stderr == ""


def test_others_open_what_was_a_jax_array():
    """cryptography's AES-GCM opens what jax_arrays.py seals. JAX has threads, so it runs in a process of its own."""
    pytest.importorskip("jax")
    pytest.importorskip("cryptography")
    program = ("import runpy, sys\n"
               "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\n"
               "made = runpy.run_path(sys.argv[1])\n"
               "text = AESGCM(made['key']).decrypt(made['nonce'], made['sealed'], None)\n"
               "assert text == made['weights'].tobytes() and len(text) == 313600\n")
    done = subprocess.run([sys.executable, "-c", program, ROOT / "provider/python/examples/jax_arrays.py"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme():
    """The program in the package's README."""
    text = (ROOT / "provider/python/README.md").read_text(encoding="utf-8")
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    program = "\n".join(lines[lines.index("import gpuctr") :])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "seal_into" in program and "open_into" in program
