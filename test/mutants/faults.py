"""The faults that a tired developer commits, one at a time: what each line of C++ could be instead.

It works on clang-format's layout, where binary operators stand between spaces and templates' angle
brackets do not, so that no parser is needed. What does not compile counts for nothing.
"""
import re

SWAPS = [
    (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "),
    (" != ", " == "), (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "),
    (" * ", " + "), (" / ", " * "), (" % ", " / "), (" << ", " >> "), (" >> ", " << "),
    (" & ", " | "), (" | ", " & "), (" ^ ", " | "), (" += ", " -= "), (" -= ", " += "),
    (" |= ", " &= "), (" &= ", " |= "), (" ^= ", " |= "), ("++", "--"), ("--", "++"),
    ("std::min", "std::max"), ("std::max", "std::min"),
]
WORDS = [("true", "false"), ("false", "true"), ("break;", ";"), ("continue;", ";")]
NOT_CODE = re.compile(r"\s*(#|//|static_assert|using |namespace |template|friend |class |struct |extern )")
CALL = re.compile(r"\s*(?!return\b|if\b|for\b|while\b|switch\b|delete\b|else\b)[\w:.\->\[\]*]+\(.*\);\s*$")
ASSIGNMENT = re.compile(r"\s*[\w.\->\[\]*()]+ [|&^+\-]?= .*;\s*$")


def masked(line):
    """The line with blanks where strings, characters and comments are: the same length."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'"(\\.|[^"\\])*"' + r"|'(\\.|[^'\\])+'", blank, line)
    return re.sub(r"//.*|/\*.*?\*/", blank, line)


def balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0


def faults_of(line, before):
    """All that `line` could be instead; `before` is the line of code above it."""
    if NOT_CODE.match(line):
        return []
    code = masked(line)
    found = []

    def replace(start, end, text):
        found.append(line[:start] + text + line[end:])

    for old, new in SWAPS:
        for match in re.finditer(re.escape(old), code):
            replace(match.start(), match.end(), new)
    for old, new in WORDS:
        for match in re.finditer(r"(?<!\w)" + re.escape(old) + r"(?!\w)", code):
            replace(match.start(), match.end(), new)
    for match in re.finditer(r"(?<![\w.])(\d+)(?=[uU]?\b)(?!\.)", code):
        number = int(match.group())
        replace(match.start(), match.end(), str(number - 1 if number == 1 else number + 1))
    for match in re.finditer(r"!(?=[\w(])", code):
        replace(match.start(), match.end(), "")
    match = re.search(r"\bif (?:constexpr )?\(", code)
    if match:
        depth, end = 1, match.end()
        while end < len(code) and depth:
            depth += (code[end] == "(") - (code[end] == ")")
            end += 1
        condition = line[match.end():end - 1]
        if depth == 0 and ";" not in condition:
            replace(match.end(), end - 1, f"false && ({condition})")
            replace(match.end(), end - 1, f"true || ({condition})")
    match = re.search(r"\breturn ([^;]+);", code)
    if match and match.group(1) not in ("false", "true", "0", "1", "nullptr"):
        replace(match.start(), match.end(), "return {};")
    begins = before.rstrip().endswith((";", "{", "}", ":", ")")) or not before.strip()
    if begins and balanced(code) and (CALL.match(code) or ASSIGNMENT.match(code)):
        indent = len(line) - len(line.lstrip())
        replace(indent, len(line.rstrip()), ";")
    return [fault for fault in dict.fromkeys(found) if fault != line]


def faults_of_text(text):
    """{number of a line, from 1: what it could be instead}, for lines that could be something."""
    found = {}
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        faults = faults_of(line, before)
        if faults:
            found[number] = faults
        if masked(line).strip():
            before = masked(line)
    return found
