"""The programs of provider/python/examples, each as a process of its own, and what they print."""

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

EXAMPLES = {"arrays.py": ("numpy", "refused: LEA-256-GCM: the tag does not belong to this message; the array has 0 "),
            "to_openssl.py": ("gpuctr", "15000 bytes from Python to openssl, and back\n"),
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


def test_the_readme():
    """The program in the package's README."""
    text = (ROOT / "provider/python/README.md").read_text(encoding="utf-8")
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    program = "\n".join(lines[lines.index("import gpuctr") :])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "seal_into" in program and "open_into" in program
