"""The code and the constants of an executable file of x86, as objdump lists them."""

import re
import struct
import subprocess


class Program:
    """The code of an executable file, and its constants."""

    def __init__(self, path):
        self.code, self.symbols, self.constants = {}, {}, []
        listing = ["objdump", "-d", "-M", "intel", "--no-show-raw-insn", str(path)]
        said = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
        last = None
        for line in said.splitlines():
            head = re.match(r"([0-9a-f]+) <(.*)>:$", line)
            if head:
                self.symbols[head.group(2)] = int(head.group(1), 16)
                continue
            ins = re.match(r" *([0-9a-f]+):\t(.*)", line)
            if not ins:
                continue
            at = int(ins.group(1), 16)
            text = ins.group(2)
            rip = re.search(r"# ([0-9a-f]+)", text)
            text = re.sub(r"\s*[#<].*", "", text).strip()
            words = text.split(None, 1)
            while words[0] in ("data16", "cs", "notrack", "bnd"):
                words = words[1].split(None, 1)
            op, rest = words[0], words[1] if len(words) > 1 else ""
            if op == "rep":
                op, rest = "rep " + rest.split()[0], ""
            args = re.split(r",(?![^\[]*\])", rest) if rest else []
            if rip:
                args = [re.sub(r"\[rip.*\]", f"[0x{rip.group(1)}]", a) for a in args]
            self.code[at] = [op, args, None]
            if last is not None:
                self.code[last][2] = at
            last = at
        data = path.read_bytes()
        start, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
        for i in range(count):
            _, kind, flags, where, offset, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
            if flags & 2 and kind != 8:
                self.constants.append((where, data[offset : offset + length]))

    def constant(self, address):
        for where, data in self.constants:
            if where <= address < where + len(data):
                return data[address - where]
        return None
