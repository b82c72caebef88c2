"""What a change of a cipher's definition compiles again: the files of its folder, and nothing else of the module.

usage: rebuilds.py SOURCE_DIR BUILD_DIR

By Ninja's record of the headers that each object included, for every header in a folder of kernels/cipher. Tests and
benchmarks may include definitions. Nothing of the build is touched.
"""
import pathlib
import re
import subprocess
import sys

# The module's objects, by the folder of the build that has them.
MODULE = re.compile(r"(kernels|drbg|provider)/CMakeFiles/[^/]+\.dir/(.*)\.o$")


def records(build):
    """(object, its headers) of each object that Ninja has compiled."""
    said = subprocess.run(["ninja", "-C", build, "-t", "deps"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for record in said.split("\n\n"):
        lines = record.splitlines()
        if lines and "(VALID)" in lines[0]:
            yield lines[0].split(":")[0], [line.strip() for line in lines[1:]]


def is_of(unit, folder):
    """Whether a file of the module is the folder's: in it, or made by the build for it."""
    return re.search(rf"(^|/)cipher/{folder}/|_{folder}\.(cpp|cu)$|/{folder}_specs\.cpp$", unit) is not None or (
        folder == "aes" and re.search(r"(aesni|vaes|gfni)_(siv|gcm|xts)\.cpp$", unit) is not None)  # modes of AES


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    checked, wrong = set(), []
    for name, headers in records(build):
        module = MODULE.match(name)
        if module is None:
            continue
        for header in headers:
            path = (build / header).resolve()
            found = re.fullmatch(r"kernels/cipher/(\w+)/\w+\.\w+", str(path.relative_to(source))) if (
                path.is_relative_to(source)) else None
            if found is None or path.suffix == ".cu":
                continue
            checked.add(found[1])
            if not is_of(module[2], found[1]):
                wrong.append(f"{name} includes {path.relative_to(source)}")
    for line in sorted(set(wrong)):
        print(line)
    built = {path.name[:-len("_specs.cpp")] for path in (build / "generated/kernels/cipher").glob("*_specs.cpp")}
    missing = built - checked
    if missing and not wrong:
        print("no object of", *sorted(missing))
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
