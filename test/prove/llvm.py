"""LLVM's textual IR, as clang -O0 writes it: types, constants and functions.

Only what integers, pointers, arrays and structs need. What it does not know is an error.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""\s*(?:(;.*)|(c?"(?:[^"])*")|([%@](?:"[^"]*"|[-\w.$]+))|(![\w.]*|\#\d+)|([A-Za-z_][\w.]*)|(-?\d+)|(\.\.\.|[][(){}<>,=*:]))"""
)
NOISE = {
    "noundef", "nonnull", "signext", "zeroext", "inreg", "nocapture", "readonly", "readnone", "noalias",
    "returned", "writeonly", "inbounds", "nuw", "nsw", "exact", "volatile", "tail", "musttail", "notail",
    "unnamed_addr", "local_unnamed_addr", "dso_local", "immarg", "fastcc", "ccc", "noinline", "disjoint",
    "samesign", "nneg", "nusw", "dead_on_unwind", "writable",
}  # fmt: skip
SIZED_NOISE = {"align", "dereferenceable", "dereferenceable_or_null", "byval", "sret", "range", "initializes", "captures"}


@dataclass(frozen=True)
class Type:
    kind: str  # int, ptr, array, struct, void
    bits: int = 0
    items: tuple = ()
    packed: bool = False


VOID, PTR = Type("void"), Type("ptr", 64)


@dataclass
class Instruction:
    op: str
    to: str
    args: tuple


@dataclass
class Function:
    name: str
    params: list
    blocks: dict = field(default_factory=dict)
    first: str = ""
    parsed: bool = False


@dataclass
class Expression:
    """A constant pointer into a global: gep or bitcast."""

    op: str
    args: tuple


def tokens(text):
    out, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            if text[at:].strip():
                raise ValueError(f"unknown IR: {text[at : at + 60]!r}")
            break
        at = match.end()
        if match.group(1) is None and match.group().strip():
            out.append(match.group().strip())
    return out


class Line:
    """The tokens of one line, with the module for named types."""

    def __init__(self, module, toks):
        self.module, self.toks, self.at = module, toks, 0

    def peek(self, ahead=0):
        return self.toks[self.at + ahead] if self.at + ahead < len(self.toks) else ""

    def take(self):
        self.at += 1
        return self.toks[self.at - 1]

    def maybe(self, tok):
        if self.peek() == tok:
            self.at += 1
            return True
        return False

    def expect(self, tok):
        if not self.maybe(tok):
            raise ValueError(f"{tok!r} expected at {self.peek()!r} in {' '.join(self.toks)}")

    def skip_noise(self):
        while self.peek() in NOISE or self.peek() in SIZED_NOISE:
            sized = self.take() in SIZED_NOISE
            if sized and self.peek().isdigit():
                self.take()
            elif sized and self.peek() == "(":
                depth = 0
                while True:
                    tok = self.take()
                    depth += (tok == "(") - (tok == ")")
                    if depth == 0:
                        break

    def type(self):
        tok = self.take()
        if re.fullmatch(r"i\d+", tok):
            made = Type("int", int(tok[1:]))
        elif tok == "void":
            made = VOID
        elif tok == "ptr":
            made = PTR
        elif tok == "[":
            count = int(self.take())
            self.expect("x")
            made = Type("array", count, (self.type(),))
            self.expect("]")
        elif tok == "{":
            made = Type("struct", 0, tuple(self.types("}")))
        elif tok == "<" and self.peek() == "{":
            self.take()
            made = Type("struct", 0, tuple(self.types("}")), True)
            self.expect(">")
        elif tok[0] == "%":
            made = self.module.named(tok)
        else:
            raise ValueError(f"unknown type {tok!r} in {' '.join(self.toks)}")
        while True:
            if self.maybe("*"):
                made = PTR
            elif self.peek() == "(" and self.function_type():
                made = PTR
            else:
                return made

    def function_type(self):
        """`(i8*, ...)*` after a type: only in calls of functions with varying arguments."""
        depth, i = 0, self.at
        while i < len(self.toks):
            depth += (self.toks[i] == "(") - (self.toks[i] == ")")
            i += 1
            if depth == 0:
                break
        if i < len(self.toks) and self.toks[i] == "*":
            self.at = i + 1
            return True
        return False

    def types(self, end):
        out = []
        while not self.maybe(end):
            out.append(self.type())
            self.maybe(",")
        return out

    def value(self, of):
        """A local ("%x"), a global ("@x"), an integer, bytes of an aggregate or an Expression."""
        tok = self.take()
        if re.fullmatch(r"-?\d+", tok):
            return int(tok) & ((1 << of.bits) - 1)
        if tok in ("true", "false"):
            return int(tok == "true")
        if tok in ("null", "zeroinitializer"):
            return 0
        if tok in ("undef", "poison"):
            return None
        if tok[0] in "%@":
            return tok
        if tok.startswith('c"'):
            codes = re.findall(r"\\\\|\\[0-9A-Fa-f]{2}|[^\\]", tok[2:-1])
            out = [92 if c == "\\\\" else int(c[1:], 16) if c[0] == "\\" else ord(c) for c in codes]
            if len(out) != of.bits:
                raise ValueError(f"{len(out)} bytes for an array of {of.bits}")
            return out
        if tok in ("getelementptr", "bitcast"):
            self.skip_noise()
            self.expect("(")
            made = self.gep() if tok == "getelementptr" else (self.typed()[1],)
            if tok == "bitcast":
                self.expect("to")
                self.type()
            self.expect(")")
            return Expression(tok, made)
        if tok in ("[", "{"):
            return self.values("]" if tok == "[" else "}")
        if tok == "<" and self.maybe("{"):
            out = self.values("}")
            self.expect(">")
            return out
        raise ValueError(f"unknown constant {tok!r} in {' '.join(self.toks)}")

    def values(self, end):
        out = []
        while not self.maybe(end):
            out.append(self.typed()[1])
            self.maybe(",")
        return out

    def typed(self):
        self.skip_noise()
        of = self.type()
        self.skip_noise()
        return of, self.value(of)

    def gep(self):
        self.skip_noise()
        of = self.type()
        self.expect(",")
        base = self.typed()[1]
        indices = []
        while self.maybe(","):
            if self.peek().startswith("!"):
                break
            indices.append(self.typed())
        return of, base, tuple(indices)


class Module:
    def __init__(self, text):
        self.texts, self.types, self.globals, self.functions = {}, {}, {}, {}
        self.global_lines = {}
        lines = iter(text.splitlines())
        for line in lines:
            if match := re.match(r'(%(?:"[^"]*"|[-\w.$]+)) = type (.*)', line):
                self.texts[match.group(1)] = match.group(2)
            elif match := re.match(r'(@(?:"[^"]*"|[-\w.$]+)) = (.*)', line):
                self.global_lines[match.group(1)] = match.group(2)
            elif line.startswith("define "):
                self.function(line, lines)

    def named(self, name):
        if name not in self.types:
            text = self.texts[name]
            self.types[name] = Type("struct") if text == "opaque" else Line(self, tokens(text)).type()
        return self.types[name]

    def global_of(self, name):
        """Type and initial value."""
        if name not in self.globals:
            line = Line(self, tokens(self.global_lines[name]))
            while line.take() not in ("constant", "global"):
                pass
            of = line.type()
            self.globals[name] = of, line.value(of)
        return self.globals[name]

    def function(self, header, lines):
        name = re.search(r'@("[^"]*"|[-\w.$]+)\(', header)
        line = Line(self, tokens(header[name.end() :].split(" #")[0]))
        params = []
        while not line.maybe(")"):
            line.skip_noise()
            if line.maybe("..."):
                continue
            of = line.type()
            line.skip_noise()
            params.append((line.take(), of))
            line.maybe(",")
        made = Function(name.group(1).strip('"'), params)
        block = None
        for text in lines:
            if text == "}":
                break
            if match := re.match(r'("[^"]*"|[-\w.$]+):', text):
                block = made.blocks.setdefault("%" + match.group(1), [])
                made.first = made.first or "%" + match.group(1)
            elif text.strip():
                if block is None:
                    made.first = "%" + str(len(params))
                    block = made.blocks[made.first] = []
                block.append(text)
        self.functions[made.name] = made

    def code(self, function):
        """The blocks of a function, parsed when they are first needed."""
        if not function.parsed:
            function.parsed = True
            for name, block in function.blocks.items():
                text = "\n".join(block)
                text = re.sub(r"\[\n([^\]]*)\n\s*\]", lambda m: "[" + m.group(1).replace("\n", " ") + "]", text)
                function.blocks[name] = [self.instruction(t) for t in text.split("\n")]
        return function.blocks

    def instruction(self, text):
        line = Line(self, tokens(text))
        to = ""
        if line.peek(1) == "=":
            to = line.take()
            line.take()
        line.skip_noise()
        op = line.take()
        line.skip_noise()
        return Instruction(op, to, self.arguments(op, line))

    def arguments(self, op, line):
        if op in ("add", "sub", "xor", "and", "or", "shl", "lshr", "ashr", "mul", "udiv", "urem", "sdiv", "srem"):
            of, a = line.typed()
            line.expect(",")
            return of, a, line.value(of)
        if op in ("zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr"):
            of, a = line.typed()
            line.expect("to")
            return of, a, line.type()
        if op == "icmp":
            how = line.take()
            line.skip_noise()
            of, a = line.typed()
            line.expect(",")
            return how, of, a, line.value(of)
        if op == "select":
            out = [line.typed()[1]]
            line.expect(",")
            of, yes = line.typed()
            line.expect(",")
            return out[0], of, yes, line.typed()[1]
        if op == "alloca":
            return (line.type(),)
        if op == "load":
            of = line.type()
            line.expect(",")
            return of, line.typed()[1]
        if op == "store":
            of, value = line.typed()
            line.expect(",")
            return of, value, line.typed()[1]
        if op == "getelementptr":
            return line.gep()
        if op == "br":
            if line.maybe("label"):
                return (line.take(),)
            cond = line.typed()[1]
            line.expect(",")
            line.expect("label")
            yes = line.take()
            line.expect(",")
            line.expect("label")
            return cond, yes, line.take()
        if op == "switch":
            of, value = line.typed()
            line.expect(",")
            line.expect("label")
            default, cases = line.take(), {}
            line.expect("[")
            while not line.maybe("]"):
                _, case = line.typed()
                line.expect(",")
                line.expect("label")
                cases[case] = line.take()
            return value, default, cases
        if op == "ret":
            return () if line.peek() == "void" else line.typed()
        if op == "phi":
            of, out = line.type(), []
            while line.maybe("["):
                value = line.value(of)
                line.expect(",")
                out.append((value, line.take()))
                line.expect("]")
                line.maybe(",")
            return of, tuple(out)
        if op == "call":
            return self.call(line)
        if op in ("insertvalue", "extractvalue"):
            of, value = line.typed()
            line.expect(",")
            if op == "extractvalue":
                return value, int(line.take())
            part = line.typed()[1]
            line.expect(",")
            return of, value, part, int(line.take())
        if op == "unreachable":
            return ()
        raise ValueError(f"unknown instruction {op!r}: {' '.join(line.toks)}")

    def call(self, line):
        line.skip_noise()
        of = line.type()
        if line.peek() == "(":  # the type of a function with varying arguments
            while line.take() != ")":
                pass
        if line.peek() == "asm":
            while line.peek() != "(":
                line.take()
            name = "asm"
        else:
            name = line.take()
        line.expect("(")
        args = []
        while not line.maybe(")"):
            if line.maybe("metadata"):
                line.take()
            else:
                args.append(line.typed())
            line.maybe(",")
        return of, name, tuple(args)
