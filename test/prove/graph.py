"""An and-inverter graph with structural hashing, and words of bits on it.

A literal is 2 * node + 1 if complemented; node 0 is false. A word is a Python integer where every
bit is known, otherwise a tuple of literals, the least significant first.
"""

FALSE, TRUE = 0, 1
PRIME, MIX_A, MIX_B = (1 << 61) - 1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F


class Graph:
    """With `sums`, an XOR of XORs is one node for each set of its terms, whatever their order: equal
    linear layers become equal literals."""

    def __init__(self, sums=False):
        self.terms = {} if sums else None
        self.ranks = [0]  # an order of nodes that is the same in every graph that has them
        self.left, self.right = [0], [0]  # of an input: -1 and its name
        self.inputs = []
        self.made = {}
        self.functions = {}

    def input(self, name):
        self.left.append(-1)
        self.right.append(name)
        self.ranks.append(sum((i + 1) * int.from_bytes(str(n).encode(), "little") for i, n in enumerate(name)) * MIX_A % PRIME)
        self.inputs.append(len(self.left) - 1)
        return 2 * (len(self.left) - 1)

    def word(self, name, width):
        return tuple(self.input((name, i)) for i in range(width))

    def conj(self, a, b):
        if a > b:
            a, b = b, a
        if a < 2:
            return b if a == TRUE else FALSE
        if a == b:
            return a
        if a ^ b == 1:
            return FALSE
        key = (a, b)
        made = self.made.get(key)
        if made is None:
            self.left.append(a)
            self.right.append(b)
            x, y = self.rank(a), self.rank(b)
            self.ranks.append((min(x, y) * MIX_A + max(x, y) * MIX_B) % PRIME)
            made = 2 * (len(self.left) - 1)
            self.made[key] = made
        return made

    def rank(self, lit):
        return 2 * self.ranks[lit >> 1] + (lit & 1)

    def disj(self, a, b):
        return self.conj(a ^ 1, b ^ 1) ^ 1

    def parity(self, a, b):
        if a < 2:
            return b ^ a
        if b < 2:
            return a ^ b
        flip = (a ^ b) & 1
        a, b = a & ~1, b & ~1
        if a == b:
            return flip
        if self.terms is None:
            return self.parity_of_two(a, b) ^ flip
        terms = self.terms.get(a, frozenset((a,))) ^ self.terms.get(b, frozenset((b,)))
        return self.parity_of(tuple(sorted(terms, key=self.rank))) ^ flip if terms else flip

    def parity_of_two(self, a, b):
        return self.conj(self.conj(a, b) ^ 1, self.conj(a ^ 1, b ^ 1) ^ 1)

    def parity_of(self, terms):
        if len(terms) == 1:
            return terms[0]
        made = self.made.get(terms) if len(terms) > 2 else None
        if made is None:
            made = self.parity_of_two(self.parity_of(terms[:-1]), terms[-1])
            if len(terms) > 2:  # two are the key of a conjunction
                self.made[terms] = made
            self.terms[made] = frozenset(terms)
        return made

    def choose(self, select, yes, no):
        if yes == no or select < 2:
            return yes if select != FALSE else no
        if yes ^ no == 1:
            return self.parity(select, no)
        return self.disj(self.conj(select, yes), self.conj(select ^ 1, no))

    # Words. `w`: the width in bits of arguments and result.

    def bits(self, w, x):
        if isinstance(x, int):
            return tuple(x >> i & 1 for i in range(w))
        return x

    @staticmethod
    def known(bits):
        """The word as an integer if every bit is known, otherwise the bits."""
        value = 0
        for i, bit in enumerate(bits):
            if bit > 1:
                return tuple(bits)
            value |= bit << i
        return value

    def each(self, w, a, b, gate):
        return self.known([gate(x, y) for x, y in zip(self.bits(w, a), self.bits(w, b))])

    def xor(self, w, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a ^ b
        return self.each(w, a, b, self.parity)

    def both(self, w, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a & b
        return self.each(w, a, b, self.conj)

    def either(self, w, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a | b
        return self.each(w, a, b, self.disj)

    def inverted(self, w, a):
        if isinstance(a, int):
            return a ^ ((1 << w) - 1)
        return tuple(x ^ 1 for x in a)

    def sum(self, w, a, b, carry=FALSE):
        if isinstance(a, int) and isinstance(b, int) and carry < 2:
            return (a + b + carry) & ((1 << w) - 1)
        out = []
        for x, y in zip(self.bits(w, a), self.bits(w, b)):
            half = self.parity(x, y)
            out.append(self.parity(half, carry))
            carry = self.disj(self.conj(x, y), self.conj(half, carry))
        return self.known(out)

    def difference(self, w, a, b):
        return self.sum(w, a, self.inverted(w, b), TRUE)

    def product(self, w, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a * b & ((1 << w) - 1)
        if isinstance(a, int):
            a, b = b, a
        total = 0
        for i, bit in enumerate(self.bits(w, b)):
            if bit != FALSE:
                row = (FALSE,) * i + tuple(self.conj(x, bit) for x in self.bits(w, a)[: w - i])
                total = self.sum(w, total, self.known(row))
        return total

    def less(self, w, a, b):
        """The literal of a < b, without sign."""
        lit = FALSE
        for x, y in zip(self.bits(w, a), self.bits(w, b)):
            lit = self.choose(self.parity(x, y), y, lit)
        return lit

    def equal(self, w, a, b):
        lit = TRUE
        for x, y in zip(self.bits(w, a), self.bits(w, b)):
            lit = self.conj(lit, self.parity(x, y) ^ 1)
        return lit

    def left_by(self, w, a, k):
        if isinstance(a, int):
            return (a << k) & ((1 << w) - 1)
        return self.known(((FALSE,) * k + a)[:w])

    def right_by(self, w, a, k, fill=FALSE):
        return self.known(self.bits(w, a)[k:] + (fill,) * min(k, w))

    def mux(self, w, select, yes, no):
        if select < 2:
            return yes if select == TRUE else no
        pairs = zip(self.bits(w, yes), self.bits(w, no))
        return self.known([self.choose(select, y, n) for y, n in pairs])

    def look_up(self, w, entries, index):
        """entries[index] of 2^n words of w bits, for an index of n bits: one diagram per bit."""
        if isinstance(index, int):
            return entries[index]
        if not all(isinstance(e, int) for e in entries):
            level = list(entries)
            for bit in index:
                level = [self.mux(w, bit, y, n) for n, y in zip(level[::2], level[1::2])]
            return level[0]
        out, seen = [], {}
        # The same diagram whatever the order of the index's bits and whichever are complemented.
        order = sorted(range(len(index)), key=lambda i: self.rank(index[i] & ~1))
        flips = sum((index[i] & 1) << i for i in range(len(index)))
        cases = [sum((case >> n & 1) << i for n, i in enumerate(order)) for case in range(len(entries))]
        entries = [entries[case ^ flips] for case in cases]
        index = [index[i] & ~1 for i in order]

        def choose(truth, n):
            if truth == 0 or truth == (1 << (1 << n)) - 1:
                return truth & 1
            made = seen.get((truth, n))
            if made is None:
                half = 1 << (n - 1)
                low, high = truth & ((1 << half) - 1), truth >> half
                made = self.choose(index[n - 1], choose(high, n - 1), choose(low, n - 1))
                seen[truth, n] = made
            return made

        for bit in range(w):
            truth = sum((e >> bit & 1) << i for i, e in enumerate(entries))
            out.append(choose(truth, len(index)))
        return self.known(out)

    def function(self, name, arguments, w):
        """An uninterpreted function: equal arguments have the same free result."""
        key = (name, arguments)
        made = self.functions.get(key)
        if made is None:
            made = self.functions[key] = self.word((name, len(self.functions)), w)
        return made

    # What leaves the graph.

    def cone(self, outputs):
        """The nodes that the literals depend on, in order."""
        seen, stack = set(), [lit >> 1 for lit in outputs]
        while stack:
            node = stack.pop()
            if node in seen or node == 0:
                continue
            seen.add(node)
            if self.left[node] >= 0:
                stack += (self.left[node] >> 1, self.right[node] >> 1)
        return sorted(seen)

    def values(self, nodes, inputs, mask):
        """The value of each node, `inputs` of each input node: integers that hold many cases."""
        at = {0: 0}
        for node in nodes:
            a, b = self.left[node], self.right[node]
            if a < 0:
                at[node] = inputs[node]
            else:
                x, y = at[a >> 1], at[b >> 1]
                at[node] = (x ^ mask if a & 1 else x) & (y ^ mask if b & 1 else y)
        return at

    def write(self, path, outputs):
        """AIGER, binary, with all inputs of the graph."""
        gates = [n for n in self.cone(outputs) if self.left[n] >= 0]
        number = {0: 0}
        for i, node in enumerate(self.inputs + gates, 1):
            number[node] = 2 * i

        def lit(x):
            return number[x >> 1] | (x & 1)

        n = len(self.inputs)
        out = bytearray(f"aig {n + len(gates)} {n} 0 {len(outputs)} {len(gates)}\n".encode())
        for x in outputs:
            out += f"{lit(x)}\n".encode()
        for node in gates:
            here, a, b = number[node], lit(self.left[node]), lit(self.right[node])
            if a < b:
                a, b = b, a
            for delta in (here - a, a - b):
                while delta >= 128:
                    out.append(delta & 127 | 128)
                    delta >>= 7
                out.append(delta)
        path.write_bytes(out)
