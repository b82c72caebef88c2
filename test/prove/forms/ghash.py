#!/usr/bin/env python3
"""Proves that every form of GHASH of the CPU multiplies in GHASH's field, for all keys and all blocks.

usage: ghash.py [TREE [NAME...]]

A NAME is a form of kernels/cmake/Backends.cmake, or gpu, for what the CUDA forms take from the host
(ghash_gpu.cpp); without one: all of them.

First the machine code of each function runs on kinds of bits (machine.py), once for each number of
blocks: each bit of an output is a sum, modulo 2, of products of one bit of H and one bit of a block,
and of no others. Such a sum is zero everywhere if it is zero where H and the block have at most one
bit each. Then ghash.cpp compares the function with the definition at all these points. The sum that
is looked at is the difference of both. Both take each number of blocks up to the number of powers of H.
More blocks are a loop: the first part shows that its passes are the same steps, and that only y goes
from one pass to the next and to the rest.
"""

import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from kinds import all_kinds
from machine import STACK, Machine, Refused
from program import Program

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KEY, H, Y, IN, TABLE = (n << 24 for n in range(1, 6))
HALF = 512  # of a key: kGhashKeyBytes / 2
LANES = {"scalar": 1, "sse": 1, "avx2": 1, "avx2_vpclmul": 2, "avx512_vpclmul": 4}
NEEDS = {
    "scalar": "", "sse": "ssse3 pclmulqdq", "avx2": "avx2 pclmulqdq", "avx2_vpclmul": "avx2 vpclmulqdq",
    "avx512_vpclmul": "avx512f avx512bw avx512dq avx512vl vpclmulqdq",
}  # fmt: skip


def forms(tree):
    """The forms of kernels/cmake/Backends.cmake: name, header, options of the compiler."""
    text = (tree / "kernels/cmake/Backends.cmake").read_text()
    lists = dict(re.findall(r"^set\((\w+) ([^$\n]*)\)$", text, re.M))
    lists |= dict(re.findall(r"^gpuctr_simd_options\((\w+) ([^)]*)\)$", text, re.M))
    for name, header, options in re.findall(r"^gpuctr_cpu_ghash\((\w+) (\S+) \S+ ([^)]*)\)$", text, re.M):
        for _ in range(2):
            options = re.sub(r"\$\{(\w+)\}", lambda found: lists.get(found.group(1), ""), options)
        yield name, header, options.split()


def powers(_, bits, kinds):
    return bits if all(kind[0][0] == "P" and len(kind) == 1 for kind in kinds) else None


def plain(kinds):
    """The same, and of a power no matter where it lies."""
    return {tuple(sorted(name.split("@")[0] for name in kind)) for kind in kinds}


def moved(trace, by):
    """The same steps on blocks that lie elsewhere."""
    return [(at, tuple(a + by if IN <= a < IN + (1 << 16) else a for a in places)) for at, places in trace]


def product(x, y):
    """SP 800-38D 6.3: bit 127 of a number is bit 0 of a block."""
    z = 0
    for i in range(128):
        z ^= y if x >> (127 - i) & 1 else 0
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return z


class Form:
    def __init__(self, name, powers, program):
        self.name, self.powers, self.lanes, self.p = name, powers, LANES[name], program
        self.most = powers or 1
        self.runs = 0

    def function(self, name):
        found = [s for s in self.p.symbols if re.search(rf"N_1{len(name)}{name}E", s)]
        if len(found) != 1:
            raise Refused(f"{len(found)} functions {name}")
        return found[0]

    def run(self, name, inputs, outputs, *args, before=None, stored=None):
        """`inputs`: address, size and name, or bytes. Stores go to `outputs`, (address, size), and to the stack."""
        machine = Machine(self.p)
        for address, size, what in inputs:
            if isinstance(what, bytes):
                machine.put(address, what)
            else:
                machine.put_kinds(address, size, what)

        def watch(address, bits):
            for at in range(address, address + len(bits) // 8):
                if not any(a <= at < a + n for a, n in [*outputs, (STACK - 4096, 4096)]):
                    raise Refused(f"a store at {at:x}")
            return bits if stored is None else stored(address, bits)

        machine.watch = watch
        machine.before = before and (lambda at: before(machine, at))
        self.runs += 1
        self.result = machine.call(self.function(name), *args)
        return machine

    def expect(self, what, machine, address, size, allowed):
        bits = machine.load(address, size)
        kinds = all_kinds(bits)
        kinds = set() if kinds == 0 else plain(kinds)
        if not kinds <= set(allowed):
            extra = ", ".join("*".join(kind) or "1" for kind in sorted(kinds - set(allowed)))
            raise Refused(f"{what}: a sum of other products too: {extra}")

    def places(self, power):
        if not self.powers:
            return [KEY]
        return [KEY + HALF - 16 * power, KEY + 2 * HALF - 16 * power]

    def key(self, count):
        return [(at, 16, f"P{i}") for i in range(1, count + 1) for at in self.places(i)]

    # What each function may be a sum of.

    def begin(self):
        machine = self.run("begin", [(H, 16, "H")], [(at, 16) for at in self.places(1)], H, KEY)
        for at in self.places(1):
            self.expect("begin", machine, at, 16, [("H",)])

    def hash(self, name, n, before=None):
        inputs = [*self.key(min(n, self.most) if self.powers else 1), (Y, 16, "Y")]
        inputs += [(IN + 16 * j, 16, f"B{j}") for j in range(n)]
        machine = self.run(name, inputs, [(Y, 16)], KEY, Y, IN, n, before=before)
        if before is not None or n > self.most:
            return machine
        allowed = [(f"B{j}", f"P{n - j}") for j in range(n)] + [(f"P{n}", "Y") if n else ("Y",)]
        self.expect(f"{name} of {n} blocks", machine, Y, 16, allowed)
        return machine

    # Longer runs are passes of a loop, and a rest. Between them the places of y are all that depends on inputs.

    def pass_kinds(self, first, y):
        """What y is after a pass from block `first` on, whose y before it lies in these places."""
        n = self.most
        return {(f"B{first + j}", f"P{n - j}") for j in range(n)} | {tuple(sorted((f"P{n}", name))) for name in y}

    def passes(self, name):
        n = self.most
        trace = self.hash(name, 3 * n).trace
        times = Counter(at for at, _ in trace)
        head = next(at for at, _ in trace if times[at] == 3)
        starts, cuts = [i for i, (at, _) in enumerate(trace) if at == head], []
        kept = {}  # powers that lie in registers or on the stack from the first pass on

        def stays(place, bits, kinds):
            if not cuts and powers(place, bits, kinds) is bits:
                kept[place] = [
                    bit if isinstance(bit, int) else frozenset((f"{kind[0]}@{place}.{i // 8}",) for kind in bit)
                    for i, bit in enumerate(bits)
                ]
                return kept[place]
            return bits if kept.get(place) == bits else None

        machine = self.hash(name, 3 * n, lambda m, at: cuts.append(m.cut(stays)) if at == head else None)
        one, two, three = (trace[i:j] for i, j in zip(starts, [*starts[1:], None]))
        if len(one) != len(two) or moved(one, 16 * n) != two or moved(two[:-1], 16 * n) != three[: len(two) - 1]:
            raise Refused(f"{name}: a pass differs from the pass before it")
        for place, x in cuts[0][1].items():
            y, z = cuts[1][1].get(place, x), cuts[2][1].get(place, x)
            if all(place in known for _, known in cuts) and (y - x != z - y or place[0] == "v" and x != y):
                raise Refused(f"{name}: {place} is another constant in each pass")
        live = set(sum(all_kinds(machine.load(Y, 16)), ())) & set(cuts[2][0])
        self.expect(f"{name}, the third pass", machine, Y, 16, self.pass_kinds(2 * n, live))
        for i, (kinds, _) in enumerate(cuts):
            allowed = self.pass_kinds((i - 1) * n, live) if i else {("Y",)}
            for place in live:
                if place not in kinds or not plain(kinds[place]) <= allowed:
                    raise Refused(f"{name}: {place} is not y before pass {i + 1}")

    def rest(self, name, blocks):
        n = self.most
        short, long = self.hash(name, blocks).trace, moved(self.hash(name, n + blocks).trace, -16 * n)
        same = next((i for i, (x, y) in enumerate(zip(short[::-1], long[::-1])) if x != y), len(short))
        found = []
        for count, trace, shift in ((blocks, short, 0), (n + blocks, long, n)):
            start, cuts = len(trace) - same, []
            machine = self.hash(name, count, lambda m, _: cuts.append(m.cut(powers)) if len(m.trace) == start else None)
            if not cuts:
                raise Refused(f"{name}: a rest of {blocks} has no step in common with a whole run")
            kinds = all_kinds(machine.load(Y, 16))
            live = set(sum(kinds, ())) & set(cuts[0][0])
            allowed = self.pass_kinds(0, {"Y"}) if shift else {("Y",)}
            for place in live:
                if not plain(cuts[0][0][place]) <= allowed:
                    raise Refused(f"{name}: {place} is not y before a rest of {blocks}")
            rename = {f"B{shift + j}": f"B{j}" for j in range(blocks)}
            found.append({tuple(sorted(rename.get(part, part) for part in kind)) for kind in kinds})
        if found[0] != found[1]:
            raise Refused(f"{name}: a rest of {blocks} differs after a pass")

    def but_one(self, name, other):
        """One block has a way of its own; for every other number `name` only goes on to `other`."""
        self.hash(name, 1)
        for n in (0, *range(2, 2 * self.most + 2)):
            steps, whole = self.hash(name, n).trace, self.hash(other, n).trace
            if steps[-len(whole) :] != whole or any(places for _, places in steps[: -len(whole)]):
                raise Refused(f"{name} of {n} blocks: other steps than {other}")

    def grow(self, have, blocks):
        """Each new power is a product of two that are there, or a power of the first one. What is stored is a
        power like the others from then on: if the code went on with what it has in registers, the kinds would show
        it."""
        made = min(self.most, max(have, -(-blocks // self.lanes) * self.lanes if blocks > 1 else blocks))
        outputs = {at: i for i in range(have + 1, made + 1) for at in self.places(i)}
        seen = {}

        def stored(address, bits):
            if address >= STACK - 4096:
                return bits
            out = []
            for i in range(0, len(bits), 128):
                at = address + i // 8
                seen[at] = all_kinds(bits[i : i + 128])
                out += [frozenset({(f"P{outputs[at]}",)})] * 128
            return out

        machine = self.run("grow", self.key(have), [(at, 16) for at in outputs], KEY, have, blocks, stored=stored)
        if self.result != made or set(seen) != set(outputs):
            raise Refused(f"grow, {have} to {blocks}: it makes {self.result} powers")
        for at, i in outputs.items():
            halves = [n for n in range(self.lanes, i, self.lanes) if i <= 2 * n]
            allowed = {tuple(sorted((f"P{i - n}", f"P{n}"))) for n in halves}
            if have == 1 and i <= self.lanes:
                allowed = {("P1",) * i}
            if not seen[at] <= allowed:
                raise Refused(f"grow, {have} to {blocks}: power {i} is a sum of {sorted(seen[at] - allowed)}")
        return machine.trace

    def turns(self):
        """To make all powers takes the steps from half of them on, after those from a quarter on, and so on."""
        whole, have = self.grow(1, self.most), self.lanes
        while have < self.most:
            part = self.grow(have, self.most)
            same = next((i for i, (x, y) in enumerate(zip(part[::-1], whole[::-1])) if x != y), len(part))
            if any(KEY <= at < KEY + 2 * HALF for _, places in part[: len(part) - same] for at in places):
                raise Refused(f"grow, from {have} powers on: other steps than from 1 on")
            have *= 2

    def multiply(self):
        for to, a, b in ((2, 0, 1), (0, 0, 1), (1, 0, 1), (2, 1, 0), (0, 0, 0), (1, 0, 0)):
            products = b"".join(i.to_bytes(2, "little") for i in (to, a, b))
            inputs = [(TABLE, 6, products), *((IN + 16 * i, 16, f"E{i}") for i in range(3))]
            machine = self.run("multiply", inputs, [(IN + 16 * to, 16)], IN, TABLE, 1)
            allowed = [tuple(sorted((f"E{a}", f"E{b}")))]
            self.expect(f"multiply, {to} = {a} * {b}", machine, IN + 16 * to, 16, allowed)

    def rows(self, count):
        inputs = [(H + 16 * i, 16, f"H{i}") for i in range(count)]
        machine = self.run("expand_rows", inputs, [(TABLE, 64 + 32 * count)], H, count, TABLE)
        halves = (0,) if not self.powers else (0, 16 * count)
        keys = [(TABLE, 8, count.to_bytes(8, "little"))]
        for i in range(count):
            for half in halves:
                at = TABLE + 64 + half + 16 * i
                self.expect(f"expand_rows of {count}", machine, at, 16, [(f"H{i}",)])
                keys.append((at, 16, f"H{i}"))
        text = [(IN + 16 * i, 16, f"X{i}") for i in range(2 * count)]
        machine = self.run("multiply_rows", keys + text, [(IN, 32 * count)], TABLE, IN, 2)
        for i in range(2 * count):
            self.expect(f"multiply_rows of {count}", machine, IN + 16 * i, 16, [(f"H{i % count}", f"X{i}")])

    def known(self):
        """On known numbers the machine makes GHASH: what machine.py takes the instructions for is what they do."""
        numbers = Random(1)
        h, y = numbers.randbytes(16), numbers.randbytes(16)
        text = numbers.randbytes(16 * (self.most + self.lanes + 1))
        machine = self.run("begin", [(H, 16, h)], [(KEY, 2 * HALF)], H, KEY)
        key = [(at, 1, bytes([byte])) for at, byte in machine.memory.items() if KEY <= at < KEY + 2 * HALF]
        machine = self.run("grow", key, [(KEY, 2 * HALF)], KEY, 1, self.most)
        key = [(at, 1, bytes([byte])) for at, byte in machine.memory.items() if KEY <= at < KEY + 2 * HALF]
        for name, order in (("update", 1), ("polyval", -1)):
            want = int.from_bytes(y, "big")
            for at in range(0, len(text), 16):
                want = product(want ^ int.from_bytes(text[at : at + 16], "big"), int.from_bytes(h, "big"))
            blocks = b"".join(text[at : at + 16][::order] for at in range(0, len(text), 16))
            inputs = [*key, (Y, 16, y[::order]), (IN, len(text), blocks)]
            machine = self.run(name, inputs, [(Y, 16)], KEY, Y, IN, len(text) // 16)
            got = bytes(machine.memory[Y + i] for i in range(16))[::order]
            if got != want.to_bytes(16, "big"):
                raise Refused(f"{name}: machine.py makes {got.hex()}, and it should be {want:032x}")
        hs, xs = (numbers.randbytes(16 * self.lanes) for _ in range(2))
        size = 64 + 2 * len(hs)
        machine = self.run("expand_rows", [(H, len(hs), hs)], [(TABLE, size)], H, self.lanes, TABLE)
        key = [(at, 1, bytes([byte])) for at, byte in machine.memory.items() if TABLE <= at < TABLE + size]
        machine = self.run("multiply_rows", [*key, (IN, len(xs), xs)], [(IN, len(xs))], TABLE, IN, 1)
        for at in range(0, len(xs), 16):
            want = product(*(int.from_bytes(x[at : at + 16], "big") for x in (hs, xs)))
            if bytes(machine.memory[IN + at + i] for i in range(16)) != want.to_bytes(16, "big"):
                raise Refused(f"multiply_rows: machine.py does not make {want:032x}")

    def prove(self):
        self.known()
        self.begin()
        self.multiply()
        for name in ("update_any" if self.powers else "update", "polyval"):
            for n in range(self.most + 1):
                self.hash(name, n)
            self.passes(name)
            for n in range(self.most):
                self.rest(name, n)
        if self.powers:
            self.but_one("update", "update_any")
        for count in (self.lanes, 2 * self.lanes, 3 * self.lanes, 64)[: None if self.powers else 3]:
            self.rows(count)
        if self.powers:
            for have in (1, *range(self.lanes, self.most + 1, self.lanes)):
                for blocks in range(self.most + 1):
                    self.grow(have, blocks)
            self.turns()


def columns(program):
    """The columns of a matrix are sums of bits of its element."""
    machine = Machine(Program(program))
    machine.put_kinds(H, 16, "P")
    machine.call("hash_columns", H, TABLE)
    kinds = all_kinds(machine.load(TABLE, 4 * 128))
    if not kinds <= {("P",)}:
        raise Refused(f"a column is a sum of {sorted(kinds)}")


def failed(name, why, program):
    """Says why, with inputs for which the form differs from the definition, if random ones show it."""
    found = ""
    if name in LANES:
        found = subprocess.run([program, str(LANES[name]), "random"], capture_output=True, text=True).stdout
    print(f"GHASH, {name}: {why}\n{found}", end="")
    return 1


def main():
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT).resolve()
    wanted = sys.argv[2:] or [*NEEDS, "gpu"]
    if platform.machine() != "x86_64":
        print("GHASH: not proved, because this is no x86-64")
        return 0
    flags = set(re.search(r"^flags\s*:(.*)", Path("/proc/cpuinfo").read_text(), re.M).group(1).split())
    proved, left_out = 0, []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        common = [os.environ.get("CXX", "c++"), "-std=c++17", f"-I{tree}", "-DGPUCTR_WIPE_FACTOR=1"]

        def compiled(*words):
            subprocess.run([*map(str, [*common, *words])], check=True)

        if "gpu" in wanted:
            program = work / "gpu"
            sources = [HERE / "ghash_gpu.cpp", tree / "kernels/gpu/cuda/ghash_powers.cpp"]
            compiled("-O2", "-fno-tree-vectorize", "-no-pie", *sources, "-o", program)
            done = subprocess.run([program], capture_output=True, text=True)
            if done.returncode:
                return failed("gpu", done.stdout.strip(), program)
            try:
                columns(program)
            except Refused as error:
                return failed("gpu", error, program)
            print("GHASH's columns and powers for CUDA: as SP 800-38D has them")
            if wanted == ["gpu"]:
                return 0
        compiled("-O2", "-c", HERE / "ghash.cpp", "-o", work / "ghash.o")
        for name, header, options in forms(tree):
            if name not in wanted:
                continue
            if not set(NEEDS[name].split()) <= flags:
                left_out.append(name)
                continue
            source = [f'-DGPUCTR_PROVE_FORM="kernels/cpu/{header}"', "-c", HERE / "ghash_form.cpp"]
            compiled("-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", *options, *source, "-o", work / f"{name}.o")
            program = work / name
            compiled("-no-pie", work / "ghash.o", work / f"{name}.o", "-o", program)
            done = subprocess.run([program, str(LANES[name])], capture_output=True, text=True)
            if done.returncode:
                return failed(name, done.stdout.strip(), program)
            try:
                Form(name, 0 if name == "scalar" else 8 * LANES[name], Program(program)).prove()
            except Refused as error:
                return failed(name, error, program)
            proved += 1
    print(f"{proved} forms of GHASH: the field's products" + (f"; not on this CPU: {left_out}" if left_out else ""))
    return 0 if proved else 1


if __name__ == "__main__":
    sys.exit(main())
