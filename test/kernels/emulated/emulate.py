"""usage: emulate.py UNITS OUT x86|neon [--all] FOLDER=CIPHER[,CIPHER...]...

Writes to OUT what the emulated backends are compiled from: copies of units of the kernels' (UNITS, which the build
made), the table of their functions, the tests that concern them, and units.cmake, the list of the copies with the
macros that stand for their instruction sets. A copy has the first cipher of its folder. Ciphers that are not emulated
have the functions of `scalar`. --all: every cipher of every backend.
"""
import pathlib
import re
import sys

AVX2 = ["SSSE3", "AVX", "AVX2"]
AVX512 = AVX2 + ["AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL"]
AES = ["AES", "PCLMUL"]
VAES = AES + ["VAES", "VPCLMULQDQ"]
# The macros of each kind of unit, and the folders that are emulated without --all: those with code of their own for
# the backend that takes GCC a few seconds.
BACKENDS = {
    "x86": {
        "avx512_gfni": (AVX512 + VAES + ["GFNI"], "aes aria cham des hight blowfish"),
        "avx512": (AVX512 + AES, "hight idea lea threefish"),
        "avx2_gfni": (AVX2 + VAES + ["GFNI"], "aes aria hight"),
        "avx2_vaes": (AVX2 + VAES, "aes aria"),
        "avx2_aesni": (AVX2 + AES, ""),
        "avx2": (AVX2, ""),
        "sse_aesni": (["SSSE3"] + AES, ""),
        "sse": (["SSSE3"], ""),
    },
    "neon": {"neon": ([], "aria cham des hight idea lea threefish")},
}
SLOW = ["many/avx512_hight", "many/avx512_gfni_hight", "many/avx2_gfni_hight"]
# Tests that take long: of no code of a backend that no other test runs.
LEFT_OUT = ["*.LongRun/*", "*Many.Ccm/*", "*Many.OneIsLong/*"]
# Units without a cipher.
OTHERS = {
    "x86": {
        "avx512_gfni_siv": AVX512 + VAES + ["GFNI"], "avx512_gfni_gcm": AVX512 + VAES + ["GFNI"],
        "avx512_xts": AVX512, "many/avx512_modes": AVX512,
        "avx512_vpclmul_ghash": AVX512 + ["PCLMUL", "VPCLMULQDQ"],
        "avx2_vaes_siv": AVX2 + VAES, "avx2_vaes_gcm": AVX2 + VAES, "avx2_xts": AVX2, "many/avx2_modes": AVX2,
        "avx2_vpclmul_ghash": AVX2 + ["PCLMUL", "VPCLMULQDQ"],
        "avx2_ghash": AVX2 + ["PCLMUL"], "sse_ghash": ["SSSE3", "PCLMUL"], "sse_xts": ["SSSE3"],
    },
    "neon": {"neon_xts": [], "many/neon_modes": []},
}
# The same of the backends that have AES with --all only.
OTHERS_OF_ALL = {
    "x86": {f"{name}_{unit}": BACKENDS["x86"][name][0] for name in ("avx2_aesni", "sse_aesni") for unit in ("siv", "gcm")},
    "neon": {},
}
FORMS = {"x86": ["avx512_vpclmul", "avx2_vpclmul", "avx2_pclmul", "sse_pclmul"], "neon": []}


class Emulation:
    def __init__(self, units, out, kind, everything, ciphers):
        self.units, self.out, self.kind, self.everything = units, out, kind, everything
        self.ciphers = ciphers
        self.tables = (units / "backend_tables.h").read_text()
        self.made, self.filter = [], [f"Forms/Ghash.*/{form}" for form in FORMS[kind]]
        self.emulated = {}  # functions: of how many ciphers

    def write(self, name, text):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

    def unit(self, name, macros):
        text = (self.units / f"{name}.cpp").read_text()
        if not self.everything:
            text = re.sub(r"(Ops|Many)<(\w+::\w+)>::kAll", r"\1<emulated::FirstOf<\2>::Type>::kAll", text)
        self.write(f"{name}.cpp", text)
        options = ["-O1"]
        if name.endswith(("_aes", "_cham")):  # GCC takes half of the time
            options = ["$<IF:$<CXX_COMPILER_ID:GNU>,-Og,-O1>"]
        options += [f"-D__{macro}__" for macro in macros] or ["-U__SSE2__", "-D__ARM_NEON"]
        self.made.append((f"{name}.cpp", options))

    def backend(self, name, macros, folders):
        for index, (folder, ciphers) in enumerate(self.ciphers.items()):
            if not self.everything and folder not in folders.split():
                continue
            count = len(ciphers) if self.everything else 1
            for functions, unit in ((f"{name}_{folder}", f"{name}_{folder}"),
                                    (f"many_{name}_{folder}", f"many/{name}_{folder}")):
                if unit in SLOW and not self.everything:
                    continue
                if f"extern const {'Many' if 'many' in functions else 'Cipher'}Ops* const {functions};" in self.tables:
                    self.unit(unit, macros)
                    self.emulated[functions] = count
            if f"{name}_{folder}" in self.emulated:
                suites = ["Backends/*", "All/*"] + ["EveryBackend/*"] * (f"many_{name}_{folder}" in self.emulated)
                self.filter += [f"{suite}/{name}_{cipher}" for suite in suites for cipher in ciphers[:count]]
                self.filter.append(f"Published/*/{index}")

    def filled(self, call):
        """A line of the table: what is emulated, and for the other ciphers of the folder `scalar` or nothing."""
        functions, count, to = call.groups()
        made = self.emulated.get(functions, int(count) if functions.startswith("scalar") else 0)
        rest = int(count) - made
        line = f"fill({functions}, {made}, &{to});" if made else ""
        if rest and to == "many":
            line += f" many += {rest};"
        elif rest:
            line += f" fill(scalar_{functions.rsplit('_', 1)[1]} + {made}, {rest}, &{to});"
        return line.strip()

    def run(self):
        for name, (macros, folders) in BACKENDS[self.kind].items():
            self.backend(name, macros, folders)
        others = {**OTHERS[self.kind], **(OTHERS_OF_ALL[self.kind] if self.everything else {})}
        for name, macros in others.items():
            self.unit(name, macros)
        self.write("kernels/cpu/backend_tables.h",
                   re.sub(r"fill\((\w+), (\d+), &(\w+)\);", self.filled, self.tables))
        tests = ":".join(dict.fromkeys(self.filter)).replace("-", "_")
        left_out = "" if self.everything else "-" + ":".join(LEFT_OUT)
        self.write("filter.h", f'constexpr const char* kEmulated = "{tests}{left_out}";\n')
        self.write("units.cmake", "".join(f'list(APPEND units {unit})\nset(options_{unit} "{";".join(options)}")\n'
                                          for unit, options in self.made))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    units, out, kind = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[2]
    ciphers = {folder: names.split(",") for folder, names in (a.split("=") for a in arguments[3:])}
    Emulation(units, out, kind, "--all" in sys.argv, ciphers).run()


main()
