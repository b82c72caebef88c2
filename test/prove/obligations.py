"""What is proved of a cipher, and what happens when a proof fails.

Schedule: for every key, the round keys that expand() stores are those of the standard's.
Encryption, decryption: for every value of the standard's round keys and of the block, the result is
the standard's.
Forms: for every such value, the result is the definition's.
Schedule and rounds together are the cipher: the round keys of the second proof are variables and lie
where the first found them.
"""

import random
import subprocess

from graph import Graph
from standards.word import Word

SUMS = ("aes", "aria", "bf", "camellia", "seed")  # whose sums the definition makes in another order
OPEN = ("bf", "cast5", "idea")  # with functions that are left open: both sides on one graph


def value(byte):
    return byte.v if isinstance(byte, Word) else byte


def compared(work, name, g, left, h, right):
    """Literals of two graphs with the same inputs in the same order: "equal", "different" or "not decided"."""
    names = f"{name}-definition.aig", f"{name}-standard.aig"
    while len(g.inputs) < len(h.inputs):
        g.input(("unused", 0))
    while len(h.inputs) < len(g.inputs):
        h.input(("unused", 0))
    g.write(work / names[0], left)
    h.write(work / names[1], right)
    command = ["timeout", "300", "yosys-abc", "-q", f"&r {names[0]}; &cec {names[1]}"]
    said = subprocess.run(command, cwd=work, capture_output=True, text=True).stdout
    for file in names:
        (work / file).unlink()
    if "Networks are equivalent" in said:
        return "equal"
    return "different" if "NOT EQUIVALENT" in said else "not decided"


class Prover:
    def __init__(self, subject, work):
        self.subject, self.work = subject, work
        self.proved, self.lines = 0, []

    # Concrete runs.

    def standard(self, cipher, way, key, tweak, block):
        g = Graph()
        words = [[Word(g, 8, b) for b in data] for data in (key, tweak, block)]
        model = cipher.model
        keys = model.schedule(*words[:2]) if cipher.tweak else model.schedule(words[0])
        return bytes(b.v for b in getattr(model, way)(keys, words[2]))

    def both(self, cipher, way, key, *rest, form=None):
        tweak = rest[0] if cipher.tweak else b""
        got = self.subject.crypt_bytes(cipher, way, key, [tweak] if cipher.tweak else [], rest[-1], form)
        return got, self.standard(cipher, way, key, tweak, rest[-1])

    def example(self, cipher, size, ways, tries, form=None):
        """A random key and block on which machine code and standard differ, or None."""
        source = random.Random(f"{cipher.name} {size}")
        for _ in range(tries):
            way = source.choice(ways)
            data = [source.randbytes(n) for n in (size, *((16,) if cipher.tweak else ()), cipher.block)]
            got, want = self.both(cipher, way, *data, form=form)
            if got != want:
                return way, data, got, want
        return None

    # Proofs.

    def prove(self, cipher, size):
        self.schedule(cipher, size)
        for way in ("encrypt", "decrypt"):
            self.rounds(cipher, size, way, cipher.name)
        for name, ways in cipher.forms:
            for way in ways:
                self.rounds(cipher, size, way, name)
        # Machine code and standard on a few inputs: the interpreter of LLVM's IR is not alone.
        found = self.example(cipher, size, ("encrypt", "decrypt"), 2)
        if found:
            self.report(cipher, size, "machine code", found)
        return self.lines

    def graphs(self, cipher):
        sums = cipher.name.startswith(SUMS)
        first = Graph(sums)
        return first, first if cipher.name in OPEN else Graph(sums)

    def schedule(self, cipher, size):
        outs = []
        g, h = self.graphs(cipher)
        for graph in [g] if g is h else [g, h]:
            key = [graph.word(("key", i), 8) for i in range(size)]
            tweak = [graph.word(("tweak", i), 8) for i in range(16)] if cipher.tweak else None
            outs.append((key, tweak))
        stored = self.subject.expand(g, cipher, outs[0][0], [outs[0][1]] if cipher.tweak else [])
        keys = self.model_keys(cipher, h, *outs[-1])
        self.check(cipher, size, "schedule", g, stored, h, cipher.model.stored(keys))

    def model_keys(self, cipher, graph, key, tweak):
        words = [Word(graph, 8, b) for b in key]
        if cipher.tweak:
            return cipher.model.schedule(words, [Word(graph, 8, b) for b in tweak])
        return cipher.model.schedule(words)

    def free_keys(self, graph, keys, made):
        """The standard's round keys as variables; words that are the same stay the same."""
        if isinstance(keys, Word):
            if isinstance(keys.v, int):
                return Word(graph, keys.width, keys.v)
            at = keys.width, keys.v
            if at not in made:
                made[at] = graph.word(("round key", len(made)), keys.width)
            return Word(graph, keys.width, made[at])
        if isinstance(keys, (list, tuple)):
            return type(keys)(self.free_keys(graph, k, made) for k in keys)
        return keys

    def rounds(self, cipher, size, way, name):
        shape = Graph(cipher.name.startswith(SUMS))
        key = [shape.word(("key", i), 8) for i in range(size)]
        tweak = [shape.word(("tweak", i), 8) for i in range(16)]
        shape_keys = self.model_keys(cipher, shape, key, tweak)
        g, h = self.graphs(cipher)
        sides = []
        for graph in [g] if g is h else [g, h]:
            keys = self.free_keys(graph, shape_keys, {})
            block = [graph.word(("block", i), 8) for i in range(cipher.block)]
            sides.append((keys, block))
        stored = [value(b) for b in cipher.model.stored(sides[0][0])]
        got = self.subject.crypt(g, cipher, name, way, stored, sides[0][1])
        keys, block = sides[-1]
        if name == cipher.name:
            want = getattr(cipher.model, way)(keys, [Word(h, 8, b) for b in block])
            self.check(cipher, size, way, g, got, h, want)
        else:
            stored = [value(b) for b in cipher.model.stored(keys)]
            want = self.subject.crypt(h, cipher, cipher.name, way, stored, block)
            self.check(cipher, size, f"{way} by {name}", g, got, h, want)

    def check(self, cipher, size, what, g, got, h, want):
        left, right = [], []
        want = [value(b) for b in want]
        if len(got) != len(want):
            raise SystemExit(f"{cipher.name}: {len(got)} bytes of round keys, {len(want)} expected")
        for a, b in zip(got, want):
            if b is None:  # not used: the rounds are proved for every value of it
                continue
            if a is None:
                a = g.word(("not written", len(left)), 8)
            left += g.bits(8, a)
            right += h.bits(8, b)
        name = f"{cipher.name}-{size}-{what}".replace(" ", "-")
        verdict = "equal" if g is h and left == right else compared(self.work, name, g, left, h, right)
        if verdict == "equal":
            self.proved += 1
            return
        way, _, form = what.partition(" by ")
        ways = (way,) if way in ("encrypt", "decrypt") else ("encrypt", "decrypt")
        found = self.example(cipher, size, ways, 100, form or None) if verdict == "different" else None
        self.report(cipher, size, f"{what} ({verdict})", found)

    def report(self, cipher, size, what, found):
        self.lines.append(f"{cipher.name}, key of {size} bytes: {what}")
        if found is None:
            self.lines.append("  no key and block were found on which they differ")
            return
        way, data, got, want = found
        names = ("key", "tweak", "block") if cipher.tweak else ("key", "block")
        self.lines.append("  " + ", ".join(f"{n} {d.hex()}" for n, d in zip(names, data)))
        if " by " in what:
            self.lines.append(f"  {way}: the form gives {got.hex()}, the standard {want.hex()}")
            return
        self.lines.append(f"  {way}: the definition gives {got.hex()}, the standard {want.hex()}")
        self.lines.append(f"  replay {cipher.name} {way} {' '.join(d.hex() for d in data)}")
