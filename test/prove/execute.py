"""Runs a function of an LLVM module on known and on symbolic bits.

Every branch and every address must be known, except look-ups at a symbolic index, whose pointer is
(region, offset, index): they become diagrams of the entries. So a run also shows that no branch and
no other address depends on a symbolic bit.
"""

from graph import FALSE, TRUE


class Refused(Exception):
    """The code does something that has no meaning here, such as a branch on a symbolic bit."""


class Region:
    """Memory of one object: a list of bytes, each an integer, eight literals or None."""

    def __init__(self, size, name=""):
        self.bytes, self.name = [None] * size, name


def size_of(of):
    if of.kind in ("int", "ptr"):
        return (of.bits + 7) // 8
    if of.kind == "array":
        return of.bits * size_of(of.items[0])
    return layout(of)[1]


def align_of(of):
    if of.kind in ("int", "ptr"):
        return min(16, size_of(of))
    if of.packed or not of.items:
        return 1
    return max(align_of(item) for item in of.items)


LAYOUTS = {}


def layout(of):
    """The offsets of a struct's items, and its size."""
    made = LAYOUTS.get(id(of))
    if made is None or made[0] is not of:
        made = LAYOUTS[id(of)] = of, laid_out(of)
    return made[1]


def laid_out(of):
    at, offsets = 0, []
    for item in of.items:
        at = at if of.packed else -(-at // align_of(item)) * align_of(item)
        offsets.append(at)
        at += size_of(item)
    return offsets, -(-at // align_of(of)) * align_of(of)


class Machine:
    def __init__(self, graph, module, hooks=None):
        self.g, self.module, self.hooks = graph, module, hooks or {}
        self.globals = {}
        self.steps = 0

    # Memory.

    def region(self, data):
        made = Region(len(data))
        made.bytes = list(data)
        return made

    def global_at(self, name):
        if name not in self.globals:
            of, value = self.module.global_of(name)
            made = Region(size_of(of), name)
            self.globals[name] = made
            self.fill(made, 0, of, value)
        return self.globals[name]

    def fill(self, region, at, of, value):
        if of.kind == "int":
            if value is not None:
                for i in range(size_of(of)):
                    region.bytes[at + i] = value >> (8 * i) & 255
        elif of.kind == "array":
            step = size_of(of.items[0])
            for i in range(of.bits):
                self.fill(region, at + i * step, of.items[0], value[i] if isinstance(value, list) else value)
        elif of.kind == "struct":
            for i, (item, offset) in enumerate(zip(of.items, layout(of)[0])):
                self.fill(region, at + offset, item, value[i] if isinstance(value, list) else value)
        elif value != 0:
            region.bytes[at] = ("pointer", self.constant(value))

    def constant(self, value):
        if isinstance(value, str):
            return self.global_at(value), 0, None
        if value.op == "bitcast":
            return self.constant(value.args[0])
        of, base, indices = value.args
        return self.moved(of, self.constant(base), [(t, i) for t, i in indices])

    def moved(self, of, pointer, indices):
        if not isinstance(pointer, tuple):
            raise Refused("arithmetic on a null pointer")
        region, offset, symbol = pointer
        for n, (index_type, index) in enumerate(indices):
            if n == 0:
                step = size_of(of)
            elif of.kind == "struct":
                offset += layout(of)[0][index]
                of = of.items[index]
                continue
            else:
                of = of.items[0]
                step = size_of(of)
            if isinstance(index, int):
                signed = index - (1 << index_type.bits) if index >> (index_type.bits - 1) else index
                offset += step * signed
            else:
                if symbol is not None or step & (step - 1):
                    raise Refused("an address with two symbolic indices")
                symbol = self.g.left_by(64, self.extended(index_type.bits, index), step.bit_length() - 1)
        return region, offset, symbol

    def extended(self, w, index):
        return index + (index[-1],) * (64 - w)

    def load(self, of, pointer):
        if not isinstance(pointer, tuple):
            raise Refused("a load through a null pointer")
        region, offset, symbol = pointer
        if symbol is None:
            return self.load_at(of, region, offset)
        places = [i for i, bit in enumerate(symbol) if bit > 1]
        base = offset + sum(1 << i for i, bit in enumerate(symbol) if bit == TRUE)
        if len(places) > 10:
            raise Refused(f"an address depends on {len(places)} symbolic bits")
        entries = []
        for case in range(1 << len(places)):
            entries.append(self.load_at(of, region, base + sum((case >> n & 1) << p for n, p in enumerate(places))))
        index = tuple(symbol[p] for p in places)
        if "look-up" in self.hooks:
            return self.hooks["look-up"](of.bits, entries, index)
        return self.g.look_up(of.bits, entries, index)

    def load_at(self, of, region, offset):
        size = size_of(of)
        if offset < 0 or offset + size > len(region.bytes):
            raise Refused(f"a load outside of {region.name or 'an object'}: {offset} of {len(region.bytes)}")
        got = region.bytes[offset : offset + size]
        if of.kind == "ptr":
            if isinstance(got[0], tuple) and got[0][0] == "pointer":
                return got[0][1]
            raise Refused("a pointer that was not stored as one")
        if all(isinstance(b, int) for b in got):
            return sum(b << (8 * i) for i, b in enumerate(got)) & ((1 << of.bits) - 1)
        bits = []
        for b in got:
            if b is None:  # whatever it is
                b = self.g.word(("undefined", len(self.g.left)), 8)
            bits += self.g.bits(8, b)
        return self.g.known(bits[: of.bits])

    def store(self, of, value, pointer):
        region, offset, symbol = pointer
        if symbol is not None:
            raise Refused("a store at a symbolic address")
        size = size_of(of)
        if offset < 0 or offset + size > len(region.bytes):
            raise Refused(f"a store outside of {region.name or 'an object'}")
        if of.kind == "ptr":
            region.bytes[offset : offset + 8] = [("pointer", value)] + [None] * 7
        elif of.kind != "int":
            offsets = layout(of)[0] if of.kind == "struct" else [i * size_of(of.items[0]) for i in range(of.bits)]
            for i, at in enumerate(offsets):
                item = of.items[i] if of.kind == "struct" else of.items[0]
                part = value[i] if isinstance(value, list) else 0
                self.store(item, part, (region, offset + at, None))
        elif isinstance(value, int):
            region.bytes[offset : offset + size] = [value >> (8 * i) & 255 for i in range(size)]
        elif value is not None:
            bits = value + (FALSE,) * (8 * size - len(value))
            region.bytes[offset : offset + size] = [
                self.g.known(bits[8 * i : 8 * i + 8]) for i in range(size)
            ]

    def load_any(self, of, pointer):
        if of.kind in ("int", "ptr"):
            return self.load(of, pointer)
        region, offset, symbol = pointer
        offsets = layout(of)[0] if of.kind == "struct" else [i * size_of(of.items[0]) for i in range(of.bits)]
        items = of.items if of.kind == "struct" else of.items * of.bits
        return [self.load_any(item, (region, offset + at, symbol)) for item, at in zip(items, offsets)]

    # Functions.

    def call(self, name, args):
        function = self.module.functions[name]
        blocks = self.module.code(function)
        local = {param: arg for (param, _), arg in zip(function.params, args)}
        at, before = function.first, None
        while True:
            arrived = {}
            for ins in blocks[at]:
                if ins.op != "phi":
                    break
                arrived[ins.to] = next(self.value(local, v) for v, b in ins.args[1] if b == before)
            local.update(arrived)
            after = None
            for ins in blocks[at]:
                if ins.op == "phi":
                    continue
                self.steps += 1
                op, a = ins.op, ins.args
                if op == "ret":
                    return self.value(local, a[1]) if a else None
                if op == "br":
                    after = a[0] if len(a) == 1 else a[1 if self.certain(local, a[0]) else 2]
                elif op == "switch":
                    after = a[2].get(self.certain(local, a[0]), a[1])
                elif op == "unreachable":
                    raise Refused(f"{name} reaches what its compiler takes for unreachable")
                else:
                    made = self.run(op, a, local)
                    if ins.to:
                        local[ins.to] = made
            at, before = after, at

    def value(self, local, v):
        if isinstance(v, str):
            return local[v] if v[0] == "%" else self.constant(v)
        if v is None or isinstance(v, (int, list)):
            return v
        return self.constant(v)

    def certain(self, local, v):
        value = self.value(local, v)
        if not isinstance(value, int):
            raise Refused("a branch depends on a symbolic bit")
        return value

    def run(self, op, a, local):
        if op == "load":
            return self.load_any(a[0], self.value(local, a[1]))
        if op == "store":
            return self.store(a[0], self.value(local, a[1]), self.value(local, a[2]))
        if op == "alloca":
            return Region(size_of(a[0])), 0, None
        if op == "getelementptr":
            return self.moved(a[0], self.value(local, a[1]), [(t, self.value(local, i)) for t, i in a[2]])
        if op == "call":
            return self.callee(a, local)
        if op in ("bitcast", "zext", "sext", "trunc"):
            return self.cast(op, a[0], self.value(local, a[1]), a[2])
        if op == "icmp":
            return self.compare(a[0], a[1], self.value(local, a[2]), self.value(local, a[3]))
        if op == "select":
            select = self.value(local, a[0])
            yes, no = self.value(local, a[2]), self.value(local, a[3])
            if isinstance(select, int):
                return yes if select else no
            return self.g.mux(a[1].bits, select[0], yes, no)
        if op == "insertvalue":
            made = list(self.value(local, a[1]) or [None] * len(a[0].items))
            made[a[3]] = self.value(local, a[2])
            return made
        if op == "extractvalue":
            return self.value(local, a[0])[a[1]]
        return self.arithmetic(op, a[0].bits, self.value(local, a[1]), self.value(local, a[2]))

    def cast(self, op, of, x, to):
        if op == "bitcast":
            return x
        if isinstance(x, int):
            if op == "sext" and x >> (of.bits - 1):
                x -= 1 << of.bits
            return x & ((1 << to.bits) - 1)
        if op == "trunc":
            return self.g.known(x[: to.bits])
        return x + ((x[-1] if op == "sext" else FALSE),) * (to.bits - of.bits)

    def compare(self, how, of, x, y):
        g, w = self.g, of.bits
        if of.kind == "ptr":
            if x == 0 or y == 0:
                same = int(x == y)
            elif x[0] is y[0] and x[2] is None and y[2] is None:
                if how[0] == "u":
                    return int({"lt": x[1] < y[1], "le": x[1] <= y[1], "gt": x[1] > y[1], "ge": x[1] >= y[1]}[how[1:]])
                same = int(x[1] == y[1])
            elif x[0] is y[0]:
                raise Refused("a comparison of symbolic pointers")
            else:
                same = 0
            return same if how == "eq" else 1 - same
        if how in ("eq", "ne"):
            lit = g.equal(w, x, y)
            return g.known([lit ^ (how == "ne")])
        if how[0] == "s":
            top = 1 << (w - 1)
            x, y = g.xor(w, x, top), g.xor(w, y, top)
        lit = g.less(w, x, y) if how[1:] in ("lt", "ge") else g.less(w, y, x)
        return g.known([lit ^ (how[1:] in ("ge", "le"))])

    def arithmetic(self, op, w, x, y):
        g = self.g
        if op == "mul" and "signs" in self.hooks and not (isinstance(x, int) and isinstance(y, int)):
            sign = g.bits(w, y)
            if sign[0] == TRUE and len(set(sign[1:])) == 1:
                if g.bits(w, x)[0] != TRUE:
                    raise Refused("a product by a sign, without a one in bit 0")
                return g.xor(w, x, g.known([FALSE, *sign[1:]]))
        gates = {"add": g.sum, "sub": g.difference, "xor": g.xor, "and": g.both, "or": g.either, "mul": g.product}
        if op in gates:
            return gates[op](w, x, y)
        if not isinstance(y, int):
            if op in ("shl", "lshr"):
                return self.shifted(op, w, x, y)
            raise Refused(f"{op} by a symbolic number")
        if op in ("shl", "lshr", "ashr"):
            if y >= w:
                raise Refused("a shift by the width of the word or more")
            if op == "shl":
                return g.left_by(w, x, y)
            fill = g.bits(w, x)[-1] if op == "ashr" else FALSE
            return g.right_by(w, x, y, fill)
        if op in ("udiv", "urem", "sdiv", "srem"):
            top = 1 << (w - 1)
            if isinstance(x, int) and (op[0] == "u" or x < top and y < top):
                return x // y if op[1:] == "div" else x % y
            if op[0] == "u" and y & (y - 1) == 0:
                k = y.bit_length() - 1
                return g.right_by(w, x, k) if op == "udiv" else g.both(w, x, y - 1)
        raise Refused(f"{op} of symbolic numbers")

    def shifted(self, op, w, x, y):
        """By a symbolic number, one bit of it after the other. It must be less than w."""
        for i, bit in enumerate(y):
            if 1 << i >= w:
                if bit != FALSE:
                    raise Refused("a shift by a symbolic number that may be too large")
                continue
            step = self.g.left_by if op == "shl" else self.g.right_by
            x = self.g.mux(w, bit, step(w, x, 1 << i), x)
        return x

    def callee(self, a, local):
        of, name, args = a
        values = [self.value(local, v) for _, v in args]
        if name == "asm":  # empty assembly: a barrier for the compiler
            return values[0] if of.kind != "void" else None
        name = name[1:].strip('"')
        if name.startswith(("llvm.memcpy", "llvm.memmove")) or name in ("memcpy", "memmove"):
            if values[2]:
                (to, i, _), (source, j, _) = values[0], values[1]
                if i + values[2] > len(to.bytes) or j + values[2] > len(source.bytes):
                    raise Refused("a copy outside of an object")
                to.bytes[i : i + values[2]] = source.bytes[j : j + values[2]]
            return values[0]
        if name.startswith("llvm.memset") or name == "memset":
            region, i, _ = values[0]
            if i + values[2] > len(region.bytes):
                raise Refused("memset outside of an object")
            region.bytes[i : i + values[2]] = [values[1] & 255] * values[2]
            return values[0]
        if name.startswith("llvm.bswap"):
            x = self.g.bits(of.bits, values[0])
            x = [bit for at in range(of.bits - 8, -1, -8) for bit in x[at : at + 8]]
            return self.g.known(x)
        if name.startswith(("llvm.lifetime", "llvm.dbg", "llvm.assume", "llvm.experimental")):
            return None
        for hook, function in self.hooks.items():
            if hook == name:
                return function(*values)
        if name in self.module.functions:
            return self.call(name, values)
        raise Refused(f"a call of {name}, which is not defined")
