#!/usr/bin/env python3
"""Proves that the mesh's elements make their standard's blocks, for every key and block.

usage: elements.py [TREE [ELEMENT...]]

yosys reads an element of kernels/mesh as cells on words. They are run here clock by clock: what
controls the element is known, and each bit of key and block, of registers at the start, and of
inputs that the element must not read, is a variable. `&cec` compares each result with the model in
standards/. Every element gets a key, which stays, and three blocks in a row, and its second result
waits until the third is made.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from graph import FALSE, TRUE, Graph
from obligations import compared
from standards import korean, others
from standards.word import Word

ROOT = Path(__file__).resolve().parents[2]
# The module, its cipher, the bytes of its key and of its block.
ELEMENTS = {
    "element_lea128": (korean.Lea(), 16, 16),
    "element_hight": (korean.Hight(), 16, 8),
    "element_des": (others.Des(1), 8, 8),
    "element_des_pipelined": (others.Des(1), 8, 8),
}
PORT = 16  # bytes of the ports `key`, `in_block` and `out_block`
WAITS = 40  # clocks: more than a block takes
CLOCKS = 200  # more than three blocks take


def netlist(tree, element, work):
    """The element's ports and cells: from Verilog, without submodules, with registers as cells."""
    out = Path(work) / "netlist.json"
    sources = sorted((tree / "kernels/mesh").glob("*.sv"), key=lambda path: not path.stem.endswith("_pkg"))
    script = (
        f"read_verilog -sv {' '.join(map(str, sources))}; hierarchy -top {element}; proc; flatten; opt -full; "
        f"opt_dff -simple-dffe; clean; write_json {out}"
    )
    subprocess.run(["yosys", "-q", "-p", script], check=True)
    return json.loads(out.read_text())["modules"][element]


class Cell:
    """One of yosys's cells; bits are the least significant first."""

    def __init__(self, made):
        self.kind = made["type"]
        self.ports = made["connections"]
        self.parameters = {k: int(v, 2) for k, v in made["parameters"].items() if set(v) <= {"0", "1"}}

    def run(self, g, at):
        """The output's bits, from `at`, which gives a net's literal."""

        def word(port, width):
            bits = [at(n) for n in self.ports[port]]
            fill = bits[-1] if self.parameters.get(port + "_SIGNED") else FALSE
            return g.known((bits + [fill] * width)[:width])

        kind = self.kind
        w = max(len(bits) for port, bits in self.ports.items() if port != "S")
        out = len(self.ports["Y"])
        if kind in ("$logic_not", "$logic_and", "$logic_or", "$reduce_bool", "$eq"):
            bit = self.truth(g, w, word)
            return [bit] + [FALSE] * (out - 1)
        if kind == "$shiftx":
            return self.shifted(g, at, out)
        a = word("A", w)
        if kind == "$pmux":
            made = a
            for i, select in enumerate(self.ports["S"]):
                chosen = g.known([at(n) for n in self.ports["B"][i * out : (i + 1) * out]])
                made = g.mux(out, at(select), chosen, g.known(g.bits(w, made)[:out]))
        elif kind == "$not":
            made = g.inverted(w, a)
        elif kind in ("$shl", "$shr"):
            move, made = (g.left_by if kind == "$shl" else g.right_by), a
            for i, net in enumerate(self.ports["B"]):
                made = g.mux(w, at(net), move(w, made, min(1 << i, w)), made)
        elif kind == "$mux":
            made = g.mux(w, at(self.ports["S"][0]), word("B", w), a)
        else:
            made = {"$add": g.sum, "$sub": g.difference, "$xor": g.xor, "$and": g.both, "$or": g.either}[kind](
                w, a, word("B", w)
            )
        return g.bits(w, made)[:out]

    def truth(self, g, w, word):
        def some(port):
            return g.equal(w, word(port, w), 0) ^ 1

        if self.kind == "$eq":
            return g.equal(w, word("A", w), word("B", w))
        if self.kind == "$logic_and":
            return g.conj(some("A"), some("B"))
        if self.kind == "$logic_or":
            return g.disj(some("A"), some("B"))
        return some("A") ^ (self.kind == "$logic_not")

    def shifted(self, g, at, out):
        """Bits of A from B on: an entry for each value of B's unknown bits."""
        table = [at(n) for n in self.ports["A"]]
        index = [at(n) for n in self.ports["B"]]
        unknown = [i for i, bit in enumerate(index) if bit > TRUE]
        entries = []
        for case in range(1 << len(unknown)):
            bits = list(index)
            for i, place in enumerate(unknown):
                bits[place] = case >> i & 1
            start = g.known(bits)
            entries.append(g.known((table[start : start + out] + [FALSE] * out)[:out]))
        if not unknown:
            return g.bits(out, entries[0])
        return g.bits(out, g.look_up(out, entries, tuple(index[i] for i in unknown)))


class Element:
    def __init__(self, module):
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        cells = [Cell(made) for made in module["cells"].values()]
        self.registers = [c for c in cells if "dff" in c.kind]
        self.cells = self.ordered([c for c in cells if "dff" not in c.kind])

    def ordered(self, cells):
        """Each cell after those whose outputs it reads."""
        maker = {n: cell for cell in cells for n in cell.ports["Y"]}
        out, begun = [], set()

        def visit(cell):
            if id(cell) in begun:
                return
            begun.add(id(cell))
            for port, nets in cell.ports.items():
                if port != "Y":
                    for net in nets:
                        if net in maker:
                            visit(maker[net])
            out.append(cell)

        for cell in cells:
            visit(cell)
        return out

    def start(self, g):
        """Registers hold anything."""
        return {n: g.input(("register", n)) for c in self.registers for n in c.ports["Q"]}

    def settle(self, g, state, inputs):
        nets = dict(state)
        for name, bits in inputs.items():
            nets.update(zip(self.ports[name], bits))

        def at(net):
            return nets[net] if isinstance(net, int) else int(net == "1")

        for cell in self.cells:
            nets.update(zip(cell.ports["Y"], cell.run(g, at)))
        return at

    def clock(self, g, at):
        after = {}
        for cell in self.registers:
            p = cell.parameters
            enable = at(cell.ports["EN"][0]) ^ (p["EN_POLARITY"] ^ 1) if "EN" in cell.ports else TRUE
            reset = at(cell.ports["SRST"][0]) ^ (p["SRST_POLARITY"] ^ 1) if "SRST" in cell.ports else FALSE
            for i, net in enumerate(cell.ports["Q"]):
                value = g.choose(enable, at(cell.ports["D"][i]), at(net))
                after[net] = g.choose(reset, p.get("SRST_VALUE", 0) >> i & 1, value)
        return after


def port_bits(g, data):
    """Bytes as a port has them: the first is the most significant."""
    filled = list(data) + [0] * (PORT - len(data))
    return [bit for byte in reversed(filled) for bit in g.bits(8, byte)]


def results(element, g, key, blocks):
    """The bits of `out_block` for each block."""
    state, sent, made, waited = element.start(g), 0, [], 0
    for clock in range(CLOCKS):
        resets, starts = clock < 2, clock == 2
        ready = len(made) != 1 or waited == WAITS
        inputs = {"clk": [FALSE], "rst": [int(resets)], "start": [int(starts)], "out_ready": [int(ready)]}
        offered = clock > 2 and sent < len(blocks)
        inputs["in_valid"] = [int(offered)]
        inputs["key"] = port_bits(g, key) if clock >= 2 else list(g.word(("no key", clock), 8 * PORT))
        inputs["in_block"] = port_bits(g, blocks[sent]) if offered else list(g.word(("no block", clock), 8 * PORT))
        at = element.settle(g, state, inputs)
        taken, valid = (at(element.ports[name][0]) for name in ("in_ready", "out_valid"))
        if not resets and (taken > TRUE or valid > TRUE):
            raise SystemExit("the element's handshake depends on its data")
        waited += valid == TRUE and not ready
        if clock > 2 and valid == TRUE and ready:
            made.append([at(n) for n in element.ports["out_block"]])
            if len(made) == len(blocks):
                return made
        if offered and taken == TRUE:
            sent += 1
        state = element.clock(g, at)
    raise SystemExit(f"{len(made)} of {len(blocks)} blocks come out in {CLOCKS} clocks")


def standard(cipher, g, key, block):
    keys = cipher.schedule([Word(g, 8, b) for b in key])
    return [b.v for b in cipher.encrypt(keys, [Word(g, 8, b) for b in block])]


def example(element, cipher, key_bytes, block_bytes):
    """A key and blocks for which the element and the standard differ."""
    source = random.Random(1)
    for _ in range(100):
        g = Graph()
        key = source.randbytes(key_bytes)
        blocks = [source.randbytes(block_bytes) for _ in range(3)]
        for block, made in zip(blocks, results(element, g, key, blocks)):
            got = g.known(made[-8 * block_bytes :])
            want = bytes(standard(cipher, g, key, block))
            if not isinstance(got, int) or got != int.from_bytes(want, "big"):
                text = f"{got:0{2 * block_bytes}x}" if isinstance(got, int) else "what no input determines"
                return f"  key {key.hex()}, block {block.hex()}: it makes {text}, the standard {want.hex()}"
    return "  no key and block were found on which they differ"


def inputs_of(g, key_bytes, block_bytes):
    key = [g.word(("key", i), 8) for i in range(key_bytes)]
    return key, [[g.word(("block", n, i), 8) for i in range(block_bytes)] for n in range(3)]


def prove(tree, name, work):
    cipher, key_bytes, block_bytes = ELEMENTS[name]
    element = Element(netlist(tree, name, work))
    g, h = Graph(), Graph()
    (key, blocks), (same_key, same_blocks) = (inputs_of(graph, key_bytes, block_bytes) for graph in (g, h))
    made = [bit for out in results(element, g, key, blocks) for bit in reversed(out[-8 * block_bytes :])]
    wanted = [byte for block in same_blocks for byte in standard(cipher, h, same_key, block)]
    wanted = [bit for byte in wanted for bit in reversed(h.bits(8, byte))]
    verdict = compared(Path(work), name, g, made, h, wanted)
    print(f"{name}: {verdict}")
    if verdict != "equal":
        print(example(element, cipher, key_bytes, block_bytes))
    return verdict == "equal"


def main(tree=ROOT, *names):
    with tempfile.TemporaryDirectory() as work:
        return 0 if all([prove(Path(tree), name, work) for name in names or ELEMENTS]) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
