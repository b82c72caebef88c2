"""A cipher from outside: a copy of the tree with one more folder in kernels/cipher is configured and built, and
`openssl enc` gives the bytes of this file's own model. A folder without a file that it needs, a misspelt fact and a
wrong known answer are errors that say so. A change of the definition compiles its own files only. The build has this
cipher only, whose block has 8 bytes: what needs other ciphers is left out by name, and two of the tests that stay run.

usage: foreign_cipher.py SOURCE_DIR [NVCC]
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "edge"))
import model  # noqa: E402

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


class Toy:
    key, block = 16, 8

    def __init__(self, key):
        self.k = key

    def encrypt(self, block):
        return toy(self.k, block)


# The calls of kernels/cipher/known_answers.h.
def generator_answer():
    def some(first, size):
        return bytes(range(first, first + size))

    seed = Toy.key + Toy.block
    drbg = model.CtrDrbg(Toy, use_df=True)
    drbg.instantiate(some(0, seed), some(0x20, Toy.key // 2), some(0x40, seed))
    drbg.generate(2 * Toy.block, some(0x60, seed))
    drbg.reseed(some(0x80, seed), some(0xA0, seed))
    return drbg.generate(2 * Toy.block)[:16]


def vectors(ciphertext):
    return (f"Cipher = TOY-ECB\nKey = {KEY.hex()}\nPlaintext = {BLOCK.hex()}\nCiphertext = {ciphertext.hex()}\n\n"
            f"Generator = TOY\nOutput = {generator_answer().hex()}\n")


def run(*command, **keywords):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **keywords)


def expect(holds, what, output=""):
    if not holds:
        sys.exit(f"package.foreign_cipher: {what}\n{output}")


def copy_tree(source, tree):
    """What a build needs."""
    for part in ("avr-ref", "drbg", "fuzz", "kernels", "provider", "test"):
        shutil.copytree(source / part, tree / part, ignore=shutil.ignore_patterns("corpus", "__pycache__"))
    for file in source.glob("*.*"):
        if file.is_file():
            shutil.copy2(file, tree)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as work:
        check(source, pathlib.Path(work))


def check(source, work):
    tree, build = work / "tree", work / "build"
    copy_tree(source, tree)
    folder = tree / "kernels/cipher/toy"
    shutil.copytree(source / "test/package/foreign_cipher/toy", folder)

    def configure(ciphers="toy", kind="Debug"):
        return run("cmake", "-S", tree, "-B", build, "-G", "Ninja", f"-DGPUCTR_CIPHERS={ciphers}", "-DGPUCTR_CUDA=OFF",
                   "-DGPUCTR_WERROR=ON", "-DGPUCTR_BENCH=OFF", "-DGPUCTR_AVR=OFF", f"-DCMAKE_BUILD_TYPE={kind}")

    # What is missing is named.
    answer = toy(KEY, BLOCK)
    wrong = vectors(bytes([answer[0] ^ 1]) + answer[1:])
    for text, message in (
            (None, "kernels/cipher/toy has no vectors.txt"),
            (wrong.replace("TOY-ECB", "TOY-CTR"), "toy/vectors.txt has no vector of TOY-ECB with a key of 16 bytes"),
            (wrong.replace("Generator", "Other"), "toy/vectors.txt has no Output of Generator = TOY")):
        if text:
            (folder / "vectors.txt").write_text(text)
        done = configure()
        expect(done.returncode != 0 and message in " ".join(done.stdout.split()), f"not an error: {message}",
               done.stdout)
    (folder / "vectors.txt").write_text(wrong)

    # A misspelt fact does not compile, and the same fact without the mistake does.
    definition = (folder / "toy.h").read_text()

    def state(fact):
        facts = f"kFacts = facts([](CipherFacts& f) {{ f.{fact} = true; }})"
        (folder / "toy.h").write_text(definition.replace("kFacts = {}", facts))

    for fact, compiles in (("legcy", False), ("in_openssl", True)):
        state(fact)
        done = configure()
        expect((done.returncode == 0) == compiles and (compiles or "toy.h" in done.stdout and fact in done.stdout),
               f"the fact {fact} {'does not compile' if compiles else 'compiles'}", done.stdout)

    # S-boxes and kernels for a card, whose forms no test would see.
    state("boxes")
    (folder / "cuda.cu").write_text("")
    done = configure()
    expect(done.returncode != 0 and "names the forms of its kernels in folder::toy_tables" in
           " ".join(done.stdout.split()), "kernels with tables that name no form are configured", done.stdout)
    (folder / "toy.h").write_text(definition)
    (folder / "cuda.cu").unlink()

    # What needs other ciphers is left out by name.
    for ciphers, out, stays in (
            ("threefish", ["drbg_chain_test needs a generator", "trust.soak needs a usual cipher",
                           "cavp needs aes|aria|lea"], ["kernels_vectors_test"]),
            ("toy;lea;seed", ["drbg_vectors_test needs hight"], ["drbg_chain_test", "gpu_tables_test", "cavp"]),
            ("toy", ["gpu_tables_test needs a form with tables", "drbg_rand_test needs lea",
                     "cavp needs aes|aria|lea"], ["drbg_chain_test", "trust.soak"])):
        done = configure(ciphers)
        expect(done.returncode == 0, f"the build of {ciphers} is not configured", done.stdout)
        for line in out:
            expect(f"left out: {line}" in done.stdout, f"{ciphers}: not left out: {line}", done.stdout)
        for name in stays:
            expect(f"left out: {name} " not in done.stdout, f"{ciphers}: left out: {name}", done.stdout)

    # A wrong known answer, then the right one.
    done = run("ninja", "-C", build, "gpuctr")
    expect(done.returncode != 0 and "wrong known answer: block of TOY" in done.stdout,
           "a wrong known answer is built", done.stdout[-3000:])
    (folder / "vectors.txt").write_text(vectors(answer))
    done = run("ninja", "-C", build, "gpuctr")
    expect(done.returncode == 0, "the module is not built", done.stdout[-3000:])

    # A change of the definition compiles the cipher again, and no other file of the module.
    (folder / "toy.h").touch()
    run("ninja", "-C", build, "build.ninja")
    shutil.copy(build / "build.ninja", build / "again.ninja")  # -n stops where Ninja may make its own file again
    done = run("ninja", "-C", build, "-f", "again.ninja", "-n", "gpuctr")
    compiled = [line for line in done.stdout.splitlines() if "Building CXX" in line]
    others = [line for line in compiled if not line.endswith(("_toy.cpp.o", "/toy_specs.cpp.o"))]
    expect(len(compiled) > len(others), "a change of the definition compiles nothing", done.stdout[-3000:])
    expect(not others, "a change of the definition compiles other files", "\n".join(others))

    # The vector, in CTR and ECB, and the manual.
    for mode, text, want in (("ecb", BLOCK, answer), ("ctr", bytes(8), answer)):
        iv = ["-iv", BLOCK.hex()] if mode == "ctr" else ["-nopad"]
        done = subprocess.run(["openssl", "enc", f"-toy-{mode}", "-K", KEY.hex(), *iv, "-provider-path", build,
                               "-provider", "gpuctr", "-provider", "default"],
                              input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        expect(done.returncode == 0 and done.stdout == want, f"TOY in {mode}: {done.stdout.hex()}, not {want.hex()}",
               done.stderr.decode())
    manual = (build / "gpuctr.7").read_text()
    for line in ("OpenSSL provider for TOY, and for CTR_DRBG", "block ciphers: TOY.", "These are all modes of TOY."):
        expect(line in manual, f"the manual does not say: {line}")

    # Arrays have room for blocks of 8 bytes: of the tests those run whose own sizes were larger, and GCC's warnings of
    # an optimized build look at copies of blocks.
    done = run("ninja", "-C", build, "drbg_chain_test", "gpu_plan_test")
    expect(done.returncode == 0, "tests are not built", done.stdout[-3000:])
    for program in ("drbg/drbg_chain_test", "gpu/gpu_plan_test"):
        done = run(build / "test" / program, "--gtest_brief=1", "--gtest_filter=-*OneLargeGenerate*")
        expect(done.returncode == 0, f"{program} fails", done.stdout[-3000:])
    done = configure(kind="Release")
    expect(done.returncode == 0, "the optimized build is not configured", done.stdout)
    done = run("ninja", "-C", build, "kernels/CMakeFiles/gpuctr_kernels.dir/bulk/base/block_work.cpp.o",
               "provider/CMakeFiles/gpuctr_provider.dir/mode/block/cbc.cpp.o")
    expect(done.returncode == 0, "copies of blocks are not built without warnings", done.stdout[-3000:])

    # Its key schedule, with a Wiped, in CUDA code.
    if len(sys.argv) > 2:
        unit = work / "toy.cu"
        unit.write_text('#include "kernels/cipher/toy/toy.h"\n__global__ void expand(const std::uint8_t* key, '
                        "std::uint32_t* rk) { gpuctr::expand_key<gpuctr::Toy>(key, rk); }\n")
        done = run(sys.argv[2], "-std=c++17", f"-I{tree}", "-Werror", "all-warnings", "-diag-suppress=1675",
                   "-Xcompiler=-Wno-unknown-pragmas", "-ptx", "-o", work / "toy.ptx", unit)
        expect(done.returncode == 0, "CUDA does not compile Wiped in expand()", done.stdout)


if __name__ == "__main__":
    main()
