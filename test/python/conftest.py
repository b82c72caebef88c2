"""Fixtures of the tests of provider/python. run.sh sets the environment: GPUCTR_MODULE is the module of the build, and
GPUCTR_FAKE_MODULE the one with the device of test/fake_gpu/fake_module.cpp behind it."""

import os
import pathlib

import gpuctr
import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def legacy():
    """A provider with every cipher."""
    return gpuctr.Provider(legacy=True)


def vectors(name):
    """The entries of every kernels/cipher/*/NAME as dictionaries: texts of "Cipher", bytes of the others."""
    for file in sorted(ROOT.glob(f"kernels/cipher/*/{name}")):
        for paragraph in file.read_text(encoding="utf-8").split("\n\n"):
            lines = [line.partition("=") for line in paragraph.splitlines() if "=" in line and not line.startswith("#")]
            entry = {key.strip(): value.strip() for key, _, value in lines}
            if "Cipher" in entry:
                yield {key: value if key == "Cipher" else bytes.fromhex(value) for key, value in entry.items()}


def pytest_configure():
    assert os.environ.get("GPUCTR_MODULE"), "run.sh sets GPUCTR_MODULE"
