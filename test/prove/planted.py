#!/usr/bin/env python3
"""Plants faults in a copy of kernels/ and sees prove.py find them, and its counterexamples replayed.

usage: planted.py [--quick]

A proof that cannot fail proves nothing. Each fault is one edit of one line: in a round, in a table
or in a key schedule. Where a definition changes and its line is no longer there, this test fails.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROVE = Path(__file__).resolve().parent / "prove.py"

# Where, what, instead, the cipher that is proved then, what of it fails. The first ones are --quick.
FAULTS = [
    ("hight/hight.h", "rot_xor<3, 4, 6>", "rot_xor<3, 4, 5>", "hight", "encrypt"),
    ("cast5/tables.h", "0x6beccd2f", "0x6beccd2e", "cast5", "encrypt"),
    ("lea/lea.h", "{1, 3, 6, 11, 13, 17}", "{1, 3, 6, 11, 13, 18}", "lea192", "schedule"),
    ("lea/lea.h", "0x79e27c8a", "0x79e27c8b", "lea256", "schedule"),
    ("lea/lea.h", "x.template rotl<23>", "x.template rotl<22>", "lea128", "decrypt"),
    ("aria/aria.h", "x[3] ^ x[6] ^ x[8] ^ x[13]", "x[3] ^ x[6] ^ x[8] ^ x[12]", "aria128", "encrypt"),
    ("seed/boxes.h", "0xa9, 0x85, 0xd6", "0xa9, 0x85, 0xd7", "seed", "encrypt"),
    ("camellia/camellia.h", "put(ka, 94, rk + 160)", "put(ka, 93, rk + 160)", "camellia128", "schedule"),
    ("aes/aes.h", "round < rounds; ++round", "round + 1 < rounds; ++round", "aes192", "encrypt"),
    ("des/boxes.h", "{132, 0, 1, 3}", "{133, 0, 1, 3}", "des", "encrypt"),
    ("des/des.h", "30, 36, 29, 32}", "30, 36, 29, 31}", "des", "schedule"),
    ("idea/idea.h", "<< 9 |", "<< 8 |", "idea", "schedule"),
    ("threefish/threefish.h", "{52, 57}", "{52, 56}", "threefish256", "encrypt"),
    ("cham/cham.h", "rotl_word(k, 11)", "rotl_word(k, 10)", "cham64_128", "schedule"),
    ("blowfish/tables.h", "0x85a308d3", "0x85a308d2", "bf", "schedule"),
]


def plant(tree, path, old, new):
    file = tree / "kernels" / "cipher" / path
    text = file.read_text()
    lines = [line for line in text.splitlines() if old in line]
    if not lines:
        raise SystemExit(f"planted.py: {path} has no {old!r} any more: choose another fault")
    file.write_text(text.replace(old, new, 1))


def prove(tree, *words):
    return subprocess.run(
        [sys.executable, "-B", PROVE, "--tree", tree, *words], capture_output=True, text=True
    )


def found(tree, name, what):
    done = prove(tree, "--key-sizes", "1", name)
    said = done.stdout + done.stderr
    if done.returncode != 1 or not re.search(rf"^{name}, key of \d+ bytes: {what} \(different\)", said, re.M):
        return f"the proof does not fail in its {what}:\n{said}"
    match = re.search(r"^  replay (.*)", said, re.M)
    if match is None:
        return f"there is no counterexample:\n{said}"
    words = match.group(1).split()
    again = prove(tree, "--replay", *words)
    if again.returncode != 1 or not re.search(r"^definition [0-9a-f]+\nstandard +[0-9a-f]+$", again.stdout, re.M):
        return f"the counterexample does not show it: {words}\n{again.stdout}{again.stderr}"
    sound = prove(ROOT, "--replay", *words)
    if sound.returncode != 0:
        return f"the definition without the fault differs too: {words}\n{sound.stdout}{sound.stderr}"
    return None


def main():
    faults = FAULTS[:2] if "--quick" in sys.argv[1:] else FAULTS
    wrong = 0
    for path, old, new, name, what in faults:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            shutil.copytree(ROOT / "kernels", tree / "kernels", ignore=shutil.ignore_patterns("*.txt"))
            plant(tree, path, old, new)
            error = found(tree, name, what)
        if error:
            wrong += 1
            print(f"{path}: {old!r} as {new!r}: {error}")
    print(f"{len(faults)} planted faults, {wrong} not found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
