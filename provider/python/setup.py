"""Puts the module of the build into the wheel. pyproject.toml has the rest.

The module is GPUCTR_MODULE, by default build/gpuctr.so of this checkout, which `./run build` makes. The version is that
of CMakeLists.txt.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = pathlib.Path(os.environ.get("GPUCTR_MODULE") or ROOT / "build" / "gpuctr.so")
# What setuptools makes on its way lies in the build folder, not beside the sources.
SCRATCH = MODULE.parent / "python"


def version():
    """The version of the project, which stands in CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(gpuctr VERSION ([0-9.]+)", text, re.M)[1]


def platform_tag():
    """manylinux_2_34 if the module calls nothing of later C and C++ libraries (PEP 600), else this system only."""
    symbols = subprocess.run(["objdump", "-T", MODULE], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"(GLIBC|GLIBCXX)_(\d+(?:\.\d+)+)", symbols)
    latest = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29)}
    old = all(tuple(map(int, number.split("."))) <= latest[name] for name, number in found)
    return ("manylinux_2_34_" if old else "linux_") + platform.machine()


class ForOneMachine(Distribution):
    """A wheel whose files go where compiled ones do."""

    def has_ext_modules(self):
        return True


class WithModule(build_py):
    """Copies the module, without its symbol table, to where module_path() looks for it, and the licence beside it."""

    def run(self):
        super().run()
        if getattr(self, "editable_mode", False):
            return
        target = pathlib.Path(self.build_lib, "gpuctr", "gpuctr.so")
        shutil.copyfile(MODULE, target)
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
        shutil.copyfile(ROOT / "LICENSE", target.with_name("LICENSE"))
        for file in target.parent.iterdir():  # whatever the umask of the checkout was
            file.chmod(0o755 if file == target else 0o644)


class ForEveryPython(bdist_wheel):
    """One wheel for every Python 3: the module does not know of Python."""

    def get_tag(self):
        return "py3", "none", platform_tag()


if not MODULE.is_file():
    raise SystemExit(f"there is no module {MODULE}: run ./run build first, or set GPUCTR_MODULE")
SCRATCH.mkdir(exist_ok=True)
setup(version=version(), distclass=ForOneMachine,
      cmdclass={"build_py": WithModule, "bdist_wheel": ForEveryPython},
      options={"build": {"build_base": str(SCRATCH / "build")}, "egg_info": {"egg_base": str(SCRATCH)},
               "bdist_wheel": {"bdist_dir": str(SCRATCH / "wheel")}})
