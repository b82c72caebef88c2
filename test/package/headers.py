#!/usr/bin/env python3
"""Whether every header compiles by itself, and the units that only `./run bench gpu` builds.

    headers.py SOURCES BUILD [HEADER...]

A header that a unit of the build includes first has been compiled by itself already. Each of the others is the
only #include of a unit that gets the compiler's options of a unit beside it (BUILD/compile_commands.json). Only
its syntax is checked. Headers that this build has no such unit for are left out and named: those of other CPUs,
of CUDA without nvcc, of the benchmarks in a build without them. With HEADERs, only those.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

# Where headers are.
FOLDERS = ("avr-ref/sim", "avr-ref/test", "drbg", "fuzz", "kernels", "provider", "test")
# Not headers of a build: they stand in for others, are of another tree, or need MemorySanitizer's.
APART = ("test/package/foreign_cipher/", "test/kernels/emulated/include/", "test/prove/device", "test/prove/engine/include/",
         "test/trust/nowipe/", "test/trust/msan_moves.h")
# Warnings, optimisation, debugging, and the architectures of CUDA, of which one will do.
DROPPED = ("-W", "-O", "-g", "--generate-code", "-arch")


def options_of(entry):
    """The compiler of a unit's command and its options, without its files and what DROPPED says."""
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if not word.endswith("ccache"))
    kept, skip = [], False
    for word in words[compiler:]:
        if skip or word in ("-c", entry["file"], "all-warnings") or word.startswith(DROPPED):
            skip = False
        elif word in ("-o", "-x", "-MF", "-MT", "-MQ"):
            skip = True
        elif not word.startswith("-M"):
            kept.append(word)
    return kept


def includes(unit):
    """The headers that a unit names."""
    with open(unit, encoding="utf-8") as text:
        return re.findall(r'^#\s*include\s*["<](.*)[">]', text.read(), re.MULTILINE)


class Units:
    """The units of a build, by their paths in the sources; generated ones by theirs in BUILD/generated."""

    def __init__(self, sources, build):
        self.options = {}
        self.first = set()  # headers that units include before all else
        self.of_includer = {}  # the options of a unit that includes the header
        for entry in json.loads((build / "compile_commands.json").read_text()):
            for root in (build / "generated", sources):
                # A simulator's units are only there once it has been built.
                if entry["file"].startswith(f"{root}/") and os.path.exists(entry["file"]):
                    options = self.options.setdefault(os.path.relpath(entry["file"], root), options_of(entry))
                    headers = includes(entry["file"])
                    self.first.update(headers[:1])
                    for header in headers:
                        if header.endswith(".cuh") == entry["file"].endswith(".cu"):
                            self.of_includer.setdefault(header, options)
                    break

    def backend(self, name):
        """The options of a backend's units, or None."""
        for path, options in self.options.items():
            if re.match(rf"kernels/cpu/{name}_[a-z0-9]+\.cpp$", path):
                return options
        return None

    def of_cpu(self):
        """The options of the richest backends of this CPU: what backends share has no one backend."""
        sets = [self.options[p] for p in self.options if p.startswith("kernels/cpu/avx512_")]
        words = dict.fromkeys(word for options in sets for word in options if word.startswith("-m"))
        return sets[0] + list(words) if sets else None

    def beside(self, header):
        """The options of a unit in the header's folder or in one above it."""
        languages = (".cu",) if header.endswith(".cuh") else (".cpp",)
        folder = os.path.dirname(header)
        while folder:
            for path, options in self.options.items():
                if path.startswith(folder + "/") and path.endswith(languages):
                    return options
            folder = os.path.dirname(folder)
        return None

    def of(self, header):
        if header in self.options:
            return self.options[header]
        folder, name = os.path.split(header)
        if folder == "kernels/cpu/arm":
            return self.backend("neon")
        if folder == "kernels/cpu/x86":
            return self.backend(name[:-2]) or self.of_cpu()
        cipher = re.match("kernels/cipher/([a-z0-9]+)$", folder)
        if cipher and f"kernels/cpu/scalar_{cipher[1]}.cpp" not in self.options:
            return None  # a cipher that this build leaves out
        return self.of_includer.get(header) or self.beside(header)


def compile_alone(header, options):
    cuda = header.endswith((".cuh", ".cu"))
    no_code = ["-arch=sm_80", "-ptx", "-o", os.devnull, "-x", "cu"] if cuda else ["-fsyntax-only", "-x", "c++"]
    done = subprocess.run([*options, *no_code, "-"], input=f'#include "{header}"\n', text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout if done.returncode else ""


def main():
    sources, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    units = Units(sources, build)
    headers = sys.argv[3:] or sorted(
        header for folder in FOLDERS for suffix in ("h", "cuh")
        for path in (sources / folder).rglob(f"*.{suffix}")
        if not (header := os.path.relpath(path, sources)).startswith(APART) and header not in units.first)
    if not sys.argv[3:]:
        headers += sorted(path for path in units.options if path.startswith("test/bench/gpu/"))
    cuda = any(path.endswith(".cu") for path in units.options)
    folders = [f"-I{sources}", f"-I{sources}/provider/core"]  # provider/core: gpuctr.h, as it is installed
    known = {header: [*options, *folders] for header in headers if (options := units.of(header)) is not None}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        said = dict(zip(known, pool.map(compile_alone, known, known.values())))
    if not cuda:  # NVIDIA's headers may be missing
        said = {header: text for header, text in said.items() if not re.search("fatal error: '?cuda_", text)}
        known = {header: options for header, options in known.items() if header in said}
    wrong = [text for text in said.values() if text]
    if wrong:
        sys.exit("\n".join(wrong) + f"\n{len(wrong)} of {len(known)} headers do not compile by themselves")
    left = sorted(set(headers) - set(known))
    print(f"{len(known)} headers compile by themselves; left out: {' '.join(left) or 'none'}")


if __name__ == "__main__":
    main()
