"""The C++ side: subject.cpp on symbolic bits, and as machine code on bytes."""

import ctypes
import os
import subprocess
from pathlib import Path

from execute import Machine
from llvm import PTR, Module, Type

HERE = Path(__file__).resolve().parent
WORD32 = Type("int", 32)


class Subject:
    """kernels/cipher of `tree`, by this folder's subject.cpp."""

    def __init__(self, tree, work):
        self.work = work
        self.common = ["-std=c++17", f"-I{tree}", f"-I{HERE.parents[1]}", HERE / "subject.cpp"]
        self.made, self.library = None, None

    @property
    def module(self):
        if self.made is None:
            path = self.work / "subject.ll"
            flags = ["-O0", "-fignore-exceptions", "-fno-rtti", "-S", "-emit-llvm"]
            self.compiled(os.environ.get("CLANGXX", "clang++"), flags, path)
            self.made = Module(path.read_text())
        return self.made

    def native(self, name):
        if self.library is None:
            path = self.work / "subject.so"
            flags = ["-O0", "-fPIC", "-shared", "-DGPUCTR_PROVE_NATIVE"]
            self.compiled(os.environ.get("CXX", "c++"), flags, path)
            self.library = ctypes.CDLL(str(path))
        return getattr(self.library, name)

    def compiled(self, compiler, flags, path):
        """Compiles unless `path` is there."""
        if path.exists():
            return
        command = [compiler, *flags, *self.common, "-o", path]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-3000:]}")

    def hooks(self, graph, machine):
        """What the proof leaves open: products, inverses, tables of 32-bit words, Blowfish in its schedule."""

        def look_up(w, entries, index):
            if w == 32:
                return graph.function("table", (tuple(entries), index), 32)
            return graph.look_up(w, entries, index)

        def blowfish(this, left, right):
            region, at, _ = machine().load(PTR, this)
            words = tuple(machine().load_at(WORD32, region, at + 4 * i) for i in range(18 + 4 * 256))
            x = machine().load(WORD32, left), machine().load(WORD32, right)
            both = graph.function("blowfish", (words, *x), 64)
            machine().store(WORD32, both[:32], left)
            machine().store(WORD32, both[32:], right)

        hooks = {
            "look-up": look_up,
            "prove_product": lambda x, y: graph.function("product", (x, y), 16),
        }
        for name in self.module.functions:
            if "Blowfish" in name and "PlainWork" in name and "encrypt" in name:
                hooks[name] = blowfish
            if "Idea" in name and "inverse" in name:
                hooks[name] = lambda x: graph.function("inverse", (x,), 16)
        return hooks

    def machine(self, graph):
        made = []
        made.append(Machine(graph, self.module, self.hooks(graph, lambda: made[0])))
        return made[0]

    def schedule_bytes(self, cipher):
        return self.native(f"{cipher.name}_schedule_bytes")()

    # On a graph: bytes are integers or tuples of eight literals.

    def expand(self, graph, cipher, key, tweaks=()):
        machine = self.machine(graph)
        keys = machine.region([None] * self.schedule_bytes(cipher)), 0, None
        size = [len(key)] if cipher.ranged else []
        machine.call(f"{cipher.name}_expand", [(machine.region(key), 0, None), *size, keys])
        for tweak in tweaks:
            machine.call(f"{cipher.name}_set_tweak", [(machine.region(tweak), 0, None), keys])
        return keys[0].bytes

    def crypt(self, graph, cipher, name, way, stored, block):
        machine = self.machine(graph)
        if name.endswith("_device"):
            machine.hooks["signs"] = None  # x * s (device.h)
        out = machine.region([None] * cipher.block)
        args = [(machine.region(stored), 0, None), (machine.region(block), 0, None), (out, 0, None)]
        machine.call(f"{name}_{way}", args)
        return out.bytes

    # As machine code.

    def crypt_bytes(self, cipher, way, key, tweaks, block, form=None):
        stored = (ctypes.c_uint64 * (self.schedule_bytes(cipher) // 8 + 1))()
        size = [len(key)] if cipher.ranged else []
        self.native(f"{cipher.name}_expand")(key, *size, stored)
        for tweak in tweaks:
            self.native(f"{cipher.name}_set_tweak")(tweak, stored)
        out = ctypes.create_string_buffer(cipher.block)
        self.native(f"{form or cipher.name}_{way}")(stored, block, out)
        return out.raw
