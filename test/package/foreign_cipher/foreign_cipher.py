"""A cipher from outside: a copy of the tree with one more folder in kernels/cipher is configured and built, and
`openssl enc` gives the bytes of this file's own model. A folder without a file that it needs, and a wrong known
answer, are errors that say so.

usage: foreign_cipher.py SOURCE_DIR [NVCC]
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

MASK = 0xFFFFFFFF
KEY = bytes(range(16))
BLOCK = bytes(range(0x50, 0x58))


def rotl(x, n):
    return (x << n | x >> (32 - n)) & MASK


def toy(key, block):
    words = struct.unpack("<4I", key)
    x, y = struct.unpack("<2I", block)
    for i in range(24):
        x = ((rotl(x, 24) + y) & MASK) ^ ((words[i % 4] + i * 0x9E3779B9) & MASK)
        y = rotl(y, 3) ^ x
    return struct.pack("<2I", x, y)


def known_answers(ciphertext):
    lists = ["{" + ", ".join(f"0x{b:02x}" for b in data) + "}" for data in (KEY, BLOCK, ciphertext)]
    return f"""// Made by foreign_cipher.py.
#include "kernels/cipher/known_answers.h"
#include "kernels/cipher/toy/toy.h"
namespace gpuctr {{
template <>
struct KnownAnswers<Toy> {{
  static constexpr BlockAnswer kBlock = {{{", ".join(lists)}}};
}};
}}
"""


def run(*command, **keywords):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **keywords)


def expect(holds, what, output=""):
    if not holds:
        sys.exit(f"package.foreign_cipher: {what}\n{output}")


def copy_tree(source, tree):
    files = subprocess.run(["git", "-C", source, "ls-files", "-z"], stdout=subprocess.PIPE, check=True).stdout
    for name in files.decode().split("\0")[:-1]:
        if (source / name).is_file() and not name.startswith("fuzz/corpus"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, tree / name)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    if run("git", "-C", source, "rev-parse").returncode != 0:
        print("skipped: not a git checkout")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        check(source, pathlib.Path(work))


def check(source, work):
    tree, build = work / "tree", work / "build"
    copy_tree(source, tree)
    folder = tree / "kernels/cipher/toy"
    shutil.copytree(source / "test/package/foreign_cipher/toy", folder)

    def configure():
        return run("cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DGPUCTR_CIPHERS=toy;lea", "-DGPUCTR_CUDA=OFF",
                   "-DGPUCTR_TESTS=OFF", "-DGPUCTR_BENCH=OFF", "-DGPUCTR_AVR=OFF", "-DCMAKE_BUILD_TYPE=Debug")

    # What is missing is named.
    answer = toy(KEY, BLOCK)
    files = {"known_answers.h": known_answers(bytes([answer[0] ^ 1]) + answer[1:]),
             "vectors.txt": f"Cipher = TOY-ECB\nKey = {KEY.hex()}\nPlaintext = {BLOCK.hex()}\n"
                            f"Ciphertext = {answer.hex()}\n"}
    for name, text in files.items():
        done = configure()
        expect(done.returncode != 0 and f"kernels/cipher/toy has no {name}" in " ".join(done.stdout.split()),
               f"a folder without {name} is configured", done.stdout)
        (folder / name).write_text(text)

    # A wrong known answer, then the right one.
    done = configure()
    expect(done.returncode == 0, "the build is not configured", done.stdout)
    done = run("ninja", "-C", build, "gpuctr")
    expect(done.returncode != 0 and "wrong known answer: kBlock of TOY" in done.stdout,
           "a wrong known answer is built", done.stdout[-3000:])
    (folder / "known_answers.h").write_text(known_answers(answer))
    done = run("ninja", "-C", build, "gpuctr")
    expect(done.returncode == 0, "the module is not built", done.stdout[-3000:])

    # The vector, in CTR and ECB, and the manual.
    for mode, text, want in (("ecb", BLOCK, answer), ("ctr", bytes(8), answer)):
        iv = ["-iv", BLOCK.hex()] if mode == "ctr" else ["-nopad"]
        done = subprocess.run(["openssl", "enc", f"-toy-{mode}", "-K", KEY.hex(), *iv, "-provider-path", build,
                               "-provider", "gpuctr", "-provider", "default"],
                              input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        expect(done.returncode == 0 and done.stdout == want, f"TOY in {mode}: {done.stdout.hex()}, not {want.hex()}",
               done.stderr.decode())
    manual = (build / "gpuctr.7").read_text()
    expect("OpenSSL provider for TOY and LEA, and" in manual and "block ciphers: TOY and LEA." in manual,
           "the lists of the manual do not have TOY")

    # Its key schedule, with a Wiped, in CUDA code.
    if len(sys.argv) > 2:
        unit = work / "toy.cu"
        unit.write_text('#include "kernels/cipher/toy/toy.h"\n__global__ void expand(const std::uint8_t* key, '
                        "std::uint32_t* rk) { gpuctr::Toy::expand(key, rk); }\n")
        done = run(sys.argv[2], "-std=c++17", f"-I{tree}", "-Werror", "all-warnings", "-diag-suppress=1675",
                   "-Xcompiler=-Wno-unknown-pragmas", "-ptx", "-o", work / "toy.ptx", unit)
        expect(done.returncode == 0, "CUDA does not compile Wiped in expand()", done.stdout)


if __name__ == "__main__":
    main()
