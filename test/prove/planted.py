#!/usr/bin/env python3
"""Plants faults in a copy of kernels/, drbg/ and avr-ref/, and sees the proofs find them.

usage: planted.py [--quick]

A proof that cannot fail proves nothing. Each fault is one edit of one line. A counterexample of
prove.py is replayed, with the fault and without it. If a line to edit is no longer there, --quick
fails too: choose another fault.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOUND = threading.Lock()  # one at a time compiles the tree without a fault
PROVE = Path(__file__).resolve().parent / "prove.py"

# Where, what, instead, the cipher that is proved then, what of it fails. The first ones are --quick.
FAULTS = [
    ("hight/hight.h", "rot_xor<3, 4, 6>", "rot_xor<3, 4, 5>", "hight", "encrypt"),
    ("cast5/boxes.h", "0x6beccd2f", "0x6beccd2e", "cast5", "encrypt"),
    ("lea/lea.h", "11, 13, 17}", "11, 13, 18}", "lea192", "schedule"),
    ("lea/lea.h", "0x79e27c8a", "0x79e27c8b", "lea256", "schedule"),
    ("lea/lea.h", "x1.template rotl<23>", "x1.template rotl<22>", "lea128", "decrypt"),
    ("aria/aria.h", "x[3] ^ x[6] ^ x[8] ^ x[13]", "x[3] ^ x[6] ^ x[8] ^ x[12]", "aria128", "encrypt"),
    ("seed/seed.h", "V::constant(0xf3)", "V::constant(0xf1)", "seed", "encrypt"),
    ("camellia/camellia.h", "to.both(ka, Left<94>{}, 160)", "to.both(ka, Left<93>{}, 160)", "camellia128", "schedule"),
    ("aes/aes.h", "round < rounds; ++round", "round + 1 < rounds; ++round", "aes192", "encrypt"),
    ("des/boxes.h", "{132, 0, 1, 3}", "{133, 0, 1, 3}", "des", "encrypt"),
    ("des/des.h", "36, 29, 32}", "36, 29, 31}", "des", "schedule"),
    ("idea/idea.h", "<< 9 |", "<< 8 |", "idea", "schedule"),
    ("threefish/threefish.h", "{52, 57}", "{52, 56}", "threefish256", "encrypt"),
    ("cham/cham.h", "common ^ k.template rotl<11>()", "common ^ k.template rotl<10>()", "cham64_128", "schedule"),
    ("blowfish/boxes.h", "0x85a308d3", "0x85a308d2", "bf", "schedule"),
    ("rc2/rc2.h", "j != 16 && j != 40", "j != 16 && j != 44", "rc2_40", "encrypt"),
    ("rc2/rc2.h", "l[i - 1] + l[i - bytes]", "l[i - 1] ^ l[i - bytes]", "rc2_40", "schedule"),
    ("des/des.h", "(8 * pass + i / 8) % N", "(8 * pass + i / 8) % 8", "des_ede", "schedule"),
]
# Where, what, instead, the script that finds it, what the script prints.
OTHER_FAULTS = [
    ("drbg/ctr_drbg.cpp", "requests_for(n) > requests_left()", "requests_for(n) >= requests_left()", "drbg/search.sh",
     "call"),
    ("drbg/ctr_drbg.cpp", "entropy.size < min_entropy()", "entropy.size <= min_entropy()", "drbg/search.sh", "call"),
    ("drbg/ctr_drbg.cpp", "counter_add(v_, m_.block, blocks - 1)", "counter_add(v_, m_.block, blocks)",
     "drbg/search.sh", "call"),
    ("drbg/ctr_drbg.cpp", "xor_into(temp.value, additional, m_.seed)", "xor_into(temp.value, additional, 1)",
     "drbg/search.sh", "call"),
    ("drbg/bulk.cpp", "reseed_counter_ +=", "reseed_counter_ += 0 *", "drbg/search.sh", "call"),
    ("drbg/derivation.cpp", "lengths + 4, m.seed", "lengths + 4, m.key", "drbg/search.sh", "call"),
    ("kernels/cipher/idea/idea.h", "((low ^ high) - 1) >> 31", "((low ^ high) - 2) >> 31", "forms/check.sh", "IDEA"),
    ("kernels/cipher/bit_sliced.h", "P s0 = tc3 ^ tc16", "P s0 = tc3 ^ tc2", "forms/check.sh", "AES"),
    ("kernels/gpu/cuda/kernel/bitsliced/word.cuh", "chain<kBorrow>", "chain<kMajority>",
     "prove.py cham64_128", "decrypt by cham64_128_device (different)\n  key "),
    ("kernels/cipher/cham/bitslice.cuh", "four(x, rk, i + 12)", "four(x, rk, i + 8)", "prove.py cham64_128",
     "encrypt by cham64_128_device (different)\n  key "),
    ("kernels/gpu/cuda/kernel/bitsliced/word.cuh", "return v ^ mask;", "return v | mask;", "prove.py cham64_128",
     "encrypt by cham64_128_masks (different)\n  key "),
    ("kernels/cpu/scalar/ghash_element.h", "w << 62 ^ w << 57", "w << 62 ^ w << 56", "forms/ghash.py scalar",
     "it makes"),
    # Of single bits the same: only the kinds of products, and then random inputs, show these two.
    ("kernels/cpu/scalar/ghash_element.h", "sum ^= Word128{a &", "sum |= Word128{a &", "forms/ghash.py scalar",
     "it makes"),
    ("kernels/cpu/x86/ghash_vectors.h", "high ^= multiply<0x11>", "high |= multiply<0x11>", "forms/ghash.py sse",
     "it makes"),
    ("kernels/gpu/cuda/ghash_columns.h", "p[3] << 7 | p[2] >> 25", "p[3] << 6 | p[2] >> 26", "forms/ghash.py gpu",
     "it makes"),
    ("kernels/gpu/cuda/ghash_columns.h", "first ^= p[3] >> 25", "first |= p[3] >> 25", "forms/ghash.py gpu", "a column"),
    ("kernels/gpu/cuda/ghash_powers.cpp", "(blocks + kHashSide - 1) / kHashSide", "blocks / kHashSide",
     "forms/ghash.py gpu", "it makes"),
    ("kernels/cpu/x86/ghash.h", "product(second, first)", "product(second, second)",
     "forms/ghash.py avx512_vpclmul", "grow"),
    ("kernels/cpu/x86/ghash_vectors.h", "(1u << 2 * blocks) - 1", "(1u << (2 * blocks - 1)) - 1",
     "forms/ghash.py avx512_vpclmul", "it makes"),
    ("kernels/cpu/x86/ghash.h", "y = H::hash_together(H::powers(key), y, in);",
     "y = H::hash_together(H::powers(key), blocks == 3 * kTogether ? y ^ y : y, in);", "forms/ghash.py sse", "update"),
    ("kernels/cpu/simd/layout.h", "vector * (Bytes / kBlock) + lane * kPerLane + i % kPerLane",
     "vector * (Bytes / kBlock) + lane + i % kPerLane * (Bytes / 16)", "engine/check.sh quick", ": byte"),
    ("kernels/cpu/simd/long_blocks.h", "k / kEach * 2 * kEach + k % kEach", "k", "engine/check.sh quick", ": byte"),
    ("kernels/cpu/simd/batch.h", "copy_bytes(out, buffer, n);", "copy_bytes(out, buffer, n & ~std::size_t{1});",
     "engine/check.sh quick", ": byte"),
    ("avr-ref/src/hight/hight_tables.S", "rotated_sum 1, 2, 7", "rotated_sum 1, 2, 6", "forms/avr_tables.py", "f0: byte 1"),
    ("avr-ref/src/lea/lea_schedule.S", "0x44626b02", "0x44626b03", "forms/avr_tables.py", "delta128: byte 4"),
    ("kernels/mesh/element_lea128.sv", "(x2 ^ t1), 5'd27", "(x2 ^ t1), 5'd26", "elements.py element_lea128", "it makes"),
    ("kernels/mesh/element_hight.sv", "{b[1:0], b[7:2]}", "{b[2:0], b[7:3]}", "elements.py element_hight", "it makes"),
    ("kernels/mesh/des_pkg.sv", "d2846f", "d2864f", "elements.py element_des", "it makes"),
    ("kernels/cpu/simd/layout.h", "sum.limb[i] < amount", "sum.limb[i] <= amount", "engine/check.sh quick", ": byte"),
    ("kernels/cpu/simd/batch.h", "load<V>(at == 0 ? head : after + at)", "load<V>(after + at)",
     "engine/check.sh quick", "CBC of"),
]  # fmt: skip


def plant(tree, path, old, new):
    file = tree / path
    file.write_text(file.read_text().replace(old, new, 1))


def prove(tree, work, *words):
    command = [sys.executable, "-B", PROVE, "--tree", tree, "--work", work, *words]
    return subprocess.run(command, capture_output=True, text=True)


def found(tree, sound_work, name, what):
    done = prove(tree, tree / "work", "--key-sizes", "1", name)
    said = done.stdout + done.stderr
    if done.returncode != 1 or not re.search(rf"^{name}, key of \d+ bytes: {what} \(different\)", said, re.M):
        return f"the proof does not fail in its {what}:\n{said}"
    match = re.search(r"^  replay (.*)", said, re.M)
    if match is None:
        return f"there is no counterexample:\n{said}"
    words = match.group(1).split()
    again = prove(tree, tree / "work", "--replay", *words)
    if again.returncode != 1 or not re.search(r"^definition [0-9a-f]+\nstandard +[0-9a-f]+$", again.stdout, re.M):
        return f"the counterexample does not show it: {words}\n{again.stdout}{again.stderr}"
    with SOUND:
        sound = prove(ROOT, sound_work, "--replay", *words)
    if sound.returncode != 0:
        return f"the definition without the fault differs too: {words}\n{sound.stdout}{sound.stderr}"
    return None


def found_by_script(tree, _, script, said):
    script, *words = script.split()
    with_what = ["bash"] if script.endswith(".sh") else [sys.executable, "-B"]
    if script == "forms/check.sh":
        words = ["512"]
    place = ["--tree", tree] if script == "prove.py" else [tree]
    done = subprocess.run([*with_what, PROVE.parent / script, *place, *words], capture_output=True, text=True)
    if done.returncode != 1 or done.stderr or said not in done.stdout:
        return f"{script} does not fail as it should:\n{done.stdout}{done.stderr}"
    return None


def main():
    faults = [("kernels/cipher/" + path, *rest, found) for path, *rest in FAULTS]
    others = [(*fault, found_by_script) for fault in OTHER_FAULTS]
    for path, old, *_ in faults + others:
        if old not in (ROOT / path).read_text():
            raise SystemExit(f"planted.py: {path} has no {old!r} any more: choose another fault")
    if "--quick" in sys.argv[1:]:
        faults, others = faults[:2], others[:1]

    def missed(fault):
        path, old, new, *how, check = fault
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            for part in ("avr-ref", "drbg", "kernels"):
                shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("*.txt"))
            plant(tree, path, old, new)
            error = check(tree, sound_work, *how)
        if error:
            print(f"{path}: {old!r} as {new!r}: {error}", flush=True)
        return bool(error)

    with tempfile.TemporaryDirectory() as sound_work, ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sum(pool.map(missed, faults + others))
    print(f"{len(faults + others)} planted faults, {wrong} not found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
