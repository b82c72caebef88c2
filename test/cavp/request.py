"""Files of CAVS (NIST) and of the Korean validation programme: lines `NAME = VALUE` in records that empty lines
part, headings in brackets, comments after #. A template (.sam) has `NAME = ?` where an answer goes; in a request
(.req) the line is missing.
"""
import re


class BadFile(Exception):
    """line: from 1, or 0 where no line is to blame."""

    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


class Line:
    """One line; name and value only where it is a field."""

    def __init__(self, number, text):
        self.number, self.text, self.name, self.value = number, text, None, None
        match = re.fullmatch(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", text)
        if match:
            self.name, self.value = match.groups()

    def heading(self):
        """What the brackets hold, or None."""
        match = re.fullmatch(r"\s*\[(.*)\]\s*", self.text)
        return match.group(1).strip() if match else None


class Record:
    """Fields of one record; what it has not itself comes from headings and from records of settings before it."""

    def __init__(self, lines, inherited, words):
        self.lines, self.inherited, self.words = lines, inherited, words
        self.number = lines[0].number

    def has(self, *names):
        """Whether one of them has a value here that is no question mark."""
        return any(line.name in names and "?" not in line.value for line in self.lines)

    def line_of(self, names):
        for line in self.lines:
            if line.name in names and "?" not in line.value:
                return line
        return None

    def all_of(self, name):
        """Values of a field that may come several times, as bytes."""
        return [self.bytes_of_line(line) for line in self.lines if line.name == name]

    def octets(self, *names, default=None):
        """The value of the field that has one of these names, as bytes."""
        line = self.line_of(names)
        if line is None:
            line = next((self.inherited[name] for name in names if name in self.inherited), None)
        if line is None:
            if default is not None:
                return default
            raise BadFile(self.number, f"the record has no {' or '.join(names)}")
        return self.bytes_of_line(line)

    @staticmethod
    def bytes_of_line(line):
        if not re.fullmatch(r"([0-9A-Fa-f]{2})*", line.value):
            raise BadFile(line.number, f"{line.name} is not whole bytes in hexadecimal: {line.value[:40]}")
        return bytes.fromhex(line.value)

    def number_of(self, *names, default=None):
        line = self.line_of(names)
        if line is None:
            line = next((self.inherited[name] for name in names if name in self.inherited), None)
        if line is None:
            if default is not None:
                return default
            raise BadFile(self.number, f"neither the record nor a heading has {' or '.join(names)}")
        if not re.fullmatch(r"[0-9]{1,9}", line.value):
            raise BadFile(line.number, f"{line.name} is no number: {line.value[:40]}")
        return int(line.value)


class Request:
    """A file's lines, its records, and what its answers look like."""

    def __init__(self, text):
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.lines = [Line(i + 1, line) for i, line in enumerate(text.replace("\r\n", "\n").split("\n"))]
        if self.lines and self.lines[-1].text == "":
            self.lines.pop()
        values = [line.value for line in self.lines if line.value and re.fullmatch("[0-9A-Fa-f]+", line.value)]
        self.lower = any(re.search("[a-f]", value) for value in values)
        self.records = list(self.find_records())

    def hexadecimal(self, data):
        return data.hex() if self.lower else data.hex().upper()

    def find_records(self):
        """A record of nothing but lengths or a key, which has no text to work on, is one of settings."""
        inherited, words, run = {}, [], []
        settings = re.compile(r"([A-Za-z]*len|K|Key|N|Nonce)", re.IGNORECASE)

        def end():
            if run and all(settings.fullmatch(line.name) for line in run):
                inherited.update({line.name: line for line in run})
            elif run:
                yield Record(list(run), dict(inherited), list(words))
            run.clear()

        for line in self.lines:
            heading = line.heading()
            if line.name is not None:
                run.append(line)
                continue
            stripped = line.text.strip()
            if heading is None and stripped and not stripped.startswith("#"):
                # In a template a verdict's line holds both.
                if stripped.upper() == "VALID OR INVALID" and run:
                    line.name, line.value = "", "?"
                    run.append(line)
                    continue
                raise BadFile(line.number, f"neither a field, a heading nor a comment: {stripped[:40]}")
            yield from end()
            if heading is None:
                continue
            for part in heading.split(","):
                inner = Line(line.number, part)
                if inner.name is None:
                    words = [part.strip()]
                else:
                    inherited[inner.name] = inner
        yield from end()

    def written(self, answers):
        """The response: the request's lines, with each record's answers, pairs of name and value, in the places of
        the question marks or behind its last field. A pair without a name is a line by itself."""
        replaced, behind = {}, {}
        for record, pairs in answers:
            waiting = [line for line in record.lines if "?" in line.value]
            for name, value in pairs:
                text = f"{name} = {value}" if name else value
                place = next((line for line in waiting if line.name == name), None)
                if place is None and not name and waiting:
                    place = waiting[-1]
                if place is None:
                    behind.setdefault(record.lines[-1].number, []).append(text)
                else:
                    waiting.remove(place)
                    replaced[place.number] = text
            if waiting:
                raise BadFile(waiting[0].number, f"no answer is known to {waiting[0].name or waiting[0].text}")
        out = []
        for line in self.lines:
            out.append(replaced.get(line.number, line.text))
            out.extend(behind.get(line.number, []))
        return self.newline.join(out + [""])

    def written_chains(self, chains):
        """The response of a Monte Carlo test: each chain, a list of rounds, in the place of its first record. Records
        of a template that follow, and have question marks alone, go."""
        first = {record.lines[0].number: rounds for record, rounds in chains}
        inside = {line.number for record in self.records for line in record.lines}
        out = []
        for line in self.lines:
            if line.number in first:
                for pairs in first[line.number]:
                    out += [f"{name} = {value}" for name, value in pairs] + [""]
            elif line.number not in inside and (line.text.strip() or not out or out[-1]):
                out.append(line.text)
        while out and not out[-1]:
            out.pop()
        return self.newline.join(out + ["", ""])
