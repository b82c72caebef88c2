"""Runs machine code of x86 on bits of which only the kinds are known (kinds.py).

Addresses, counters and branches must be known numbers, and every load must read an input or what the
code has stored: anything else is refused. So is an instruction that has no meaning here.
"""

import re

from kinds import all_kinds, bits_of, carryless_product, either, integer_product, narrow, number, plus, times

SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
END = 0x1000  # where the outermost function returns to
STACK = 0x7FFF0000


class Refused(Exception):
    """The code does something that has no meaning here."""


REGISTERS = {}
for at, name in enumerate("ax cx dx bx sp bp si di".split()):
    low = name[0] + "l" if name[1] == "x" else name + "l"
    for text, size in (("r" + name, 64), ("e" + name, 32), (name, 16), (low, 8)):
        REGISTERS[text] = at, size
for at in range(8, 16):
    for end, size in (("", 64), ("d", 32), ("w", 16), ("b", 8)):
        REGISTERS[f"r{at}{end}"] = at, size
VECTOR = re.compile(r"([xyz])mm(\d+)(\{k(\d)\})?(\{z\})?$")
PLACE = re.compile(r"(\w+) PTR (?:es:)?\[(.*)\]$")


class Machine:
    def __init__(self, program):
        self.p = program
        self.r = [0] * 16
        self.v = [[0] * 512 for _ in range(32)]
        self.k = [0] * 8
        self.memory = {}
        self.flags = None
        self.watch = None  # called with the address and the bits of each store: what is stored
        self.before = None  # called with the address of each instruction
        self.trace = []  # (instruction, addresses of its memory)
        self.touched = []

    # Memory, a byte a key: a number, or a list of eight bits.

    def put(self, address, data):
        for i, byte in enumerate(data):
            self.memory[address + i] = byte

    def put_kinds(self, address, n, name):
        self.put(address, [[frozenset({(name,)})] * 8 for _ in range(n)])

    def load(self, address, n):
        self.touched.append(address)
        out = []
        for i in range(n):
            byte = self.memory.get(address + i)
            if byte is None:
                byte = self.p.constant(address + i)
            if byte is None:
                raise Refused(f"a load at {address + i:x}, where nothing was stored")
            out += bits_of(byte, 8)
        return out

    def store(self, address, bits):
        self.touched.append(address)
        if self.watch is not None:
            bits = self.watch(address, bits)
        for i in range(0, len(bits), 8):
            self.memory[address + i // 8] = narrow(bits[i : i + 8])

    def places(self):
        """Each place that holds something: its name, what it holds, and what sets it."""
        for i, x in enumerate(self.r):
            yield f"r{i}", x, lambda bits, i=i: self.r.__setitem__(i, bits)
        for i, x in enumerate(self.v):
            yield f"v{i}", x, lambda bits, i=i: self.v.__setitem__(i, bits)
        for at in sorted(a for a in self.memory if STACK - 4096 <= a < STACK):
            put = self.memory.__setitem__
            yield f"m{at - STACK}", self.memory[at], lambda bits, at=at: put(at, bits)

    def cut(self, stays):
        """Makes each place that depends on an input an input of its own, or what stays(name, bits, kinds) returns.
        The kinds that they had, and the numbers in the other places."""
        kinds, known = {}, {}
        for name, bits, put in list(self.places()):
            x = bits if isinstance(bits, int) else number(bits)
            if x is not None:
                known[name] = x
                continue
            of = all_kinds(bits)
            kept = stays(name, bits, of)
            if kept is None:
                kinds[name] = of
                kept = [bit if isinstance(bit, int) else frozenset({(name,)}) for bit in bits]
            put(kept)
        return kinds, known

    # Operands.

    def address(self, inner):
        total = 0
        for sign, term in re.findall(r"([+-]?)([^+-]+)", inner):
            base, _, scale = term.partition("*")
            x = self.get_known(base) if base in REGISTERS else int(base, 16)
            x *= int(scale) if scale else 1
            total += -x if sign == "-" else x
        return total & (1 << 64) - 1

    def get_known(self, text):
        x = self.get(text)
        if not isinstance(x, int):
            raise Refused(f"an address or a count depends on an input: {text}")
        return x

    def size(self, text):
        if text in REGISTERS:
            return REGISTERS[text][1]
        place = PLACE.match(text)
        return 8 * SIZES[place.group(1)] if place else None

    def get(self, text, size=64):
        """An integer operand: a number or a list of bits."""
        if text in REGISTERS:
            at, n = REGISTERS[text]
            x = self.r[at]
            return x & (1 << n) - 1 if isinstance(x, int) else narrow(x[:n])
        place = PLACE.match(text)
        if place:
            return narrow(self.load(self.address(place.group(2)), SIZES[place.group(1)]))
        return int(text, 16) & (1 << size) - 1

    def set(self, text, x):
        if text in REGISTERS:
            at, n = REGISTERS[text]
            if n < 32:
                x = narrow(bits_of(x, n)[:n] + bits_of(self.r[at], 64)[n:])
            elif n == 32 and not isinstance(x, int):
                x = narrow(x[:32] + [0] * 32)
            self.r[at] = x
            return
        place = PLACE.match(text)
        n = SIZES[place.group(1)]
        self.store(self.address(place.group(2)), bits_of(x, 8 * n))

    def vector(self, text, n):
        """The n bits of a vector operand."""
        found = VECTOR.match(text)
        if found:
            return self.v[int(found.group(2))][:n]
        place = PLACE.match(text)
        if place is None:
            raise Refused(f"no vector: {text}")
        return self.load(self.address(place.group(2)), n // 8)

    # One instruction after the other.

    def call(self, name, *args):
        at = self.p.symbols[name]
        for register, arg in zip((7, 6, 2, 1, 8), args):
            self.r[register] = arg
        self.r[4] = STACK - 8
        self.store(STACK - 8, bits_of(END, 64))
        while at != END:
            if at not in self.p.code:
                raise Refused(f"{at:x} is no code")
            if self.before is not None:
                self.before(at)
            op, args, after = self.p.code[at]
            self.touched = []
            try:
                jump = self.step(op, args, after)
            except Refused as error:
                raise Refused(f"{at:x}: {op} {','.join(args)}: {error}") from None
            self.trace.append((at, tuple(self.touched)))
            at = after if jump is None else jump
        return self.r[0]

    def step(self, op, a, after):
        if op.startswith(("nop", "xchg")) and (op == "nop" or a[0] == a[1]):
            return None
        if op in ("endbr64", "vzeroupper"):
            if op == "vzeroupper":
                self.v[:16] = [x[:128] + [0] * 384 for x in self.v[:16]]
            return None
        if op in ("jmp", "call"):
            if op == "call":
                self.push(after)
            return int(a[0], 16)
        if op == "ret":
            return self.pop()
        if op[0] == "j":
            return int(a[0], 16) if self.condition(op[1:]) else None
        vector = next((f for f in map(VECTOR.match, a) if f), None)
        if vector and op not in ("movq", "vmovq", "movd", "vmovd"):
            return self.vectors(op, a)
        return self.integers(op, a)

    def push(self, x):
        self.r[4] -= 8
        self.store(self.r[4], bits_of(x, 64))

    def pop(self):
        x = narrow(self.load(self.r[4], 8))
        self.r[4] += 8
        return x

    def condition(self, code):
        if self.flags is None:
            raise Refused("a branch depends on an input")
        c, z, s, o = self.flags
        for end in (False, True):
            word = code[1:] if end else code
            value = {"e": z, "b": c, "be": c or z, "s": s, "l": s != o, "le": z or s != o, "a": not (c or z),
                     "g": not (z or s != o), "c": c, "z": z, "ae": not c, "ge": s == o}.get(word)  # fmt: skip
            if value is not None and (not end or code[0] == "n"):
                return bool(value) != end
        raise Refused(f"the condition {code}")

    def integers(self, op, a):
        n = next((s for s in map(self.size, a) if s), 64)
        if op in ("mov", "movabs"):
            return self.set(a[0], self.get(a[1], n))
        if op in ("movzx", "movsx", "movsxd"):
            bits = bits_of(self.get(a[1]), self.size(a[1]))
            return self.set(a[0], narrow(bits + [bits[-1] if op != "movzx" else 0] * (n - len(bits))))
        if op == "lea":
            inner = re.search(r"\[(.*)\]", a[1]).group(1)
            shift = re.match(r"(\w+)(?:\+\1\*1|\*(\d)\+0x0)$", inner)
            if shift and not isinstance(self.get(shift.group(1)), int):
                by = int(shift.group(2) or 2).bit_length() - 1
                return self.set(a[0], narrow(([0] * by + self.get(shift.group(1)))[:n]))
            return self.set(a[0], self.address(inner) & (1 << n) - 1)
        if op == "push":
            return self.push(self.get(a[0]))
        if op == "pop":
            return self.set(a[0], self.pop())
        if op == "leave":
            self.r[4] = self.r[5]
            self.r[5] = self.pop()
            return None
        if op.startswith("cmov"):
            return self.set(a[0], self.get(a[1])) if self.condition(op[4:]) else None
        if op == "kmovb":
            self.k[int(a[0][1])] = self.get_known(a[1]) & 255
            return None
        if op == "rep stos":
            size = 8
            for _ in range(self.get_known("rcx")):
                self.store(self.r[7], bits_of(self.r[0], 64)[: 8 * size])
                self.r[7] += size
            self.r[1] = 0
            return None
        if op == "bswap":
            bits = bits_of(self.get(a[0]), n)
            return self.set(a[0], narrow([bits[n - 8 - i // 8 * 8 + i % 8] for i in range(n)]))
        if op == "mul":
            bits = integer_product(bits_of(self.r[0], 64), bits_of(self.get(a[0]), 64))
            self.r[0], self.r[2] = narrow(bits[:64]), narrow(bits[64:])
            self.flags = None
            return None
        if op in ("inc", "dec"):
            op, a = {"inc": "add", "dec": "sub"}[op], [a[0], "0x1"]
        if op == "neg":
            return self.set(a[0], self.difference(0, self.get(a[0]), n))
        x = self.get(a[0])
        y = self.get(a[1], n) if len(a) > 1 else 1
        if op == "imul" and len(a) > 1:
            x, y = (self.get(a[1]), self.get(a[2], n)) if len(a) == 3 else (x, y)
            self.flags = None
            return self.set(a[0], narrow(integer_product(bits_of(x, 64), bits_of(y, 64))[:n]))
        made = self.arithmetic(op, x, y, n, a)
        if op not in ("cmp", "test"):
            self.set(a[0], made)
        return None

    def difference(self, x, y, n):
        """Of lists or numbers; of unknown ones only 0 - y of a single bit y, which is that bit everywhere."""
        if isinstance(x, int) and isinstance(y, int):
            return (x - y) & (1 << n) - 1
        bits = bits_of(y, n)
        if x == 0 and not any(bits[1:]):
            return [bits[0]] * n
        raise Refused("a difference of inputs")

    def arithmetic(self, op, x, y, n, a):
        mask = (1 << n) - 1
        if op in ("shl", "shr", "sar"):
            if not isinstance(y, int):
                raise Refused("a shift by an input")
            y &= 63 if n == 64 else 31
            bits = bits_of(x, n)
            fill = bits[-1] if op == "sar" else 0
            made = narrow(([0] * y + bits)[:n] if op == "shl" else (bits + [fill] * y)[y:])
            self.logic_flags(made, n)
            if isinstance(x, int) and y and self.flags:
                self.flags = (x >> (n - y if op == "shl" else y - 1) & 1, *self.flags[1:])
            return made
        if op in ("xor", "and", "or", "test"):
            if op == "xor" and a[0] == a[1]:
                x = y = 0
            if isinstance(x, int) and isinstance(y, int):
                made = {"xor": x ^ y, "and": x & y, "or": x | y, "test": x & y}[op]
            else:
                gate = {"xor": plus, "or": either}.get(op, times)
                made = narrow(list(map(gate, bits_of(x, n), bits_of(y, n))))
            self.logic_flags(made, n)
            return made
        if op in ("sub", "cmp"):
            made = self.difference(x, y, n)
            self.flags = None
            if isinstance(made, int):
                top = n - 1
                overflow = ((x ^ y) & (x ^ made)) >> top & 1
                self.flags = int(x < y), int(made == 0), made >> top & 1, overflow
            return made
        if op == "add":
            self.flags = None
            if isinstance(x, int) and isinstance(y, int):
                made = (x + y) & mask
                top = n - 1
                self.flags = int(x + y > mask), int(made == 0), made >> top & 1, ((x ^ made) & (y ^ made)) >> top & 1
                return made
            pairs = list(zip(bits_of(x, n), bits_of(y, n)))
            if a[0] == a[1]:  # twice x
                return narrow(([0] + bits_of(x, n))[:n])
            if all(p == 0 or q == 0 for p, q in pairs):  # no carry
                return [plus(p, q) for p, q in pairs]
            raise Refused("a sum of inputs")
        raise Refused("an instruction without a meaning here")

    def logic_flags(self, made, n):
        self.flags = (0, int(made == 0), made >> (n - 1) & 1, 0) if isinstance(made, int) else None

    # Vectors.

    def vectors(self, op, a):
        legacy = op[0] != "v"
        op = op if legacy else op[1:]
        target = VECTOR.match(a[0])
        if op.startswith("mov") and (op[3:] in ("aps", "ups") or op[3:6] in ("dqa", "dqu")):
            if target is None:  # a store
                source = VECTOR.match(a[1])
                n = {"x": 128, "y": 256, "z": 512}[source.group(1)]
                return self.store(self.address(PLACE.match(a[0]).group(2)), self.v[int(source.group(2))][:n])
            n = {"x": 128, "y": 256, "z": 512}[target.group(1)]
            if target.group(3):
                return self.set_vector(target, self.masked(target, a[1], n), legacy)
            return self.set_vector(target, self.vector(a[1], n), legacy)
        if target is None or target.group(3):
            raise Refused("an instruction without a meaning here")
        n = {"x": 128, "y": 256, "z": 512}[target.group(1)]
        if legacy and op not in ("pshufd",):
            a = [a[0], *a]
        self.set_vector(target, self.vector_result(op, a, n), legacy)
        return None

    def masked(self, target, place, n):
        if target.group(5) is None:
            raise Refused("a load that keeps what a register had")
        address, mask, out = self.address(PLACE.match(place).group(2)), self.k[int(target.group(4))], []
        for i in range(n // 64):
            out += self.load(address + 8 * i, 8) if mask >> i & 1 else [0] * 64
        return out

    def set_vector(self, target, bits, legacy):
        at = int(target.group(2))
        self.v[at] = bits + (self.v[at][len(bits) :] if legacy else [0] * (512 - len(bits)))

    def vector_result(self, op, a, n):
        words = range(0, n, 64)
        lanes = range(0, n, 128)
        if op in ("pxor", "pxorq", "pxord", "xorps"):
            if a[1] == a[2]:
                return [0] * n
            return list(map(plus, self.vector(a[1], n), self.vector(a[2], n)))
        if op in ("pand", "pandq", "pandd"):
            return list(map(times, self.vector(a[1], n), self.vector(a[2], n)))
        if op in ("por", "porq", "pord"):
            return list(map(either, self.vector(a[1], n), self.vector(a[2], n)))
        if op in ("pternlogq", "pternlogd"):
            if int(a[3], 16) != 0x96:
                raise Refused("a function of three bits that is not their sum")
            two = map(plus, self.vector(a[0], n), self.vector(a[1], n))
            return list(map(plus, two, self.vector(a[2], n)))
        if op.startswith("pclmul"):
            halves = {"l": 0, "h": 64}
            x, y = self.vector(a[1], n), self.vector(a[2], n)
            i, j = halves[op[6]], halves[op[8]]
            out = []
            for at in lanes:
                out += carryless_product(x[at + i : at + i + 64], y[at + j : at + j + 64])
            return out
        if op in ("psrlq", "psllq"):
            x, by = self.vector(a[1], n), int(a[2], 16)
            left = [([0] * by + x[at : at + 64])[:64] for at in words]
            right = [(x[at : at + 64] + [0] * by)[by:] for at in words]
            return sum(left if op == "psllq" else right, [])
        if op in ("pslldq", "psrldq"):
            x, by = self.vector(a[1], n), 8 * int(a[2], 16)
            left = [([0] * by + x[at : at + 128])[:128] for at in lanes]
            right = [(x[at : at + 128] + [0] * by)[by:] for at in lanes]
            return sum(left if op == "pslldq" else right, [])
        if op == "psubq":
            x, y = self.vector(a[1], n), self.vector(a[2], n)
            parts = [(narrow(x[at : at + 64]), narrow(y[at : at + 64])) for at in words]
            return sum((bits_of(self.difference(p, q, 64), 64) for p, q in parts), [])
        return self.moved(op, a, n)

    def moved(self, op, a, n):
        """Instructions that only move bits: where each comes from is known."""
        lanes = range(0, n, 128)
        if op == "pshufb":
            x, order = self.vector(a[1], n), self.vector(a[2], n)
            out = []
            for at in range(0, n, 8):
                index = number(order[at : at + 8])
                if index is None:
                    raise Refused("an order that depends on an input")
                start = at // 128 * 128 + 8 * (index & 15)
                out += [0] * 8 if index & 128 else x[start : start + 8]
            return out
        if op == "pshufd":
            x, order = self.vector(a[1], n), int(a[2], 16)
            starts = [at + 32 * (order >> 2 * i & 3) for at in lanes for i in range(4)]
            return sum((x[s : s + 32] for s in starts), [])
        if op == "permq" and re.match("0x", a[2]):
            x, order = self.vector(a[1], n), int(a[2], 16)
            starts = [at + 64 * (order >> 2 * i & 3) for at in range(0, n, 256) for i in range(4)]
            return sum((x[s : s + 64] for s in starts), [])
        if op == "permt2q":
            both = self.vector(a[0], n) + self.vector(a[2], n)
            order = [number(self.vector(a[1], n)[at : at + 64]) for at in range(0, n, 64)]
            return sum((both[64 * (i % (n // 32)) :][:64] for i in order), [])
        if op in ("punpckhqdq", "punpcklqdq"):
            x, y, h = self.vector(a[1], n), self.vector(a[2], n), 64 if op[6] == "h" else 0
            return sum((x[at + h : at + h + 64] + y[at + h : at + h + 64] for at in lanes), [])
        if op in ("shufi64x2", "shufi32x4"):
            x, y, order = self.vector(a[1], n), self.vector(a[2], n), int(a[3], 16)
            bits = 2 if n == 512 else 1
            picks = [order >> bits * i & (1 << bits) - 1 for i in range(n // 128)]
            half = len(picks) // 2
            return sum(((x if i < half else y)[128 * k : 128 * k + 128] for i, k in enumerate(picks)), [])
        if op in ("broadcasti128", "broadcasti64x2", "broadcasti32x4"):
            return self.vector(a[1], 128) * (n // 128)
        if op in ("inserti128", "inserti64x2", "inserti32x4"):
            x, at = self.vector(a[1], n), 128 * int(a[3], 16)
            return x[:at] + self.vector(a[2], 128) + x[at + 128 :]
        if op in ("extracti128", "extracti64x2", "extracti32x4", "extracti64x4"):
            at = n * int(a[2], 16)
            return self.vector(re.sub("^[xy]", "z", a[1]), 512)[at : at + n]
        raise Refused("an instruction without a meaning here")
