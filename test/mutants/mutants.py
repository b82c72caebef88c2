"""usage: mutants.py [BASE|SEED [COUNT]] | again

Plants faults in a copy of the tree, one at a time, and sees whether the fast tests fail (those that
CTest labels "fast" in a build with GPUCTR_MUTANTS). BASE, a commit: in the lines changed since then.
SEED, a number below a million (1): in a sample of COUNT (150) lines of the provider, CTR_DRBG, the bulk
engine, ciphers, backends, numbers and the device layer, one fault a line. The report goes to build/mutants/report.json as well; a run
that was stopped goes on where it was, as long as the commit and the words are the same. "again": the faults
that survived the last run, in the tree as it is now.
"""
import concurrent.futures
import filecmp
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from faults import faults_of_text  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build" / "mutants"
TREE, BUILD = HOME / "tree", HOME / "build"
PARTS = {  # in which files, and which tests to ask first
    "provider": (r"provider/(?!rand/).*", r"provider|evp|dispatch|config"),
    "provider, rand": (r"provider/rand/.*", r"rand|parent"),
    "drbg": (r"drbg/.*", r"drbg"),
    "bulk": (r"kernels/bulk/.*", r"bulk"),
    "simd": (r"kernels/cpu/(simd|x86)/.*", r"kernels|backends"),
    "cpu": (r"kernels/cpu/(?!simd/|x86/).*", r"kernels|backends"),
    "cipher": (r"kernels/cipher/.*", r"kernels|backends"),
    "random": (r"kernels/random/.*", r"random|numbers|stream"),
    "device layer": (r"kernels/gpu/.*", r"gpu|device"),
}


def run(*command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        sys.exit(done.stdout[-4000:] + f"mutants: failed: {' '.join(map(str, command))}")
    return done.stdout


def copy_tree():
    """The tracked files as they are now; those that did not change keep their times for ninja."""
    tracked = must("git", "ls-files", "-z", cwd=ROOT).split("\0")[:-1]
    kept = {name for name in tracked if (ROOT / name).is_file()}
    for path in [p for p in TREE.rglob("*") if p.is_file()]:
        if str(path.relative_to(TREE)) not in kept:
            path.unlink()
    for name in sorted(kept):
        source, copy = ROOT / name, TREE / name
        if copy.exists() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)


def build(targets):
    return run("cmake", "--build", BUILD, "-j", str(os.cpu_count()), "--target", *targets)


class Test:
    def __init__(self, entry):
        self.name = entry["name"]
        self.command = entry["command"]
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.folder = properties.get("WORKING_DIRECTORY", str(BUILD))
        self.environment = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
        self.target = pathlib.Path(self.command[0]).name
        self.limit = 600

    def run(self, stop):
        """Whether it passed; None: stopped because another one failed."""
        def limits():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_DATA, (32 << 30, 32 << 30))  # fake cards reserve 17
        process = subprocess.Popen(
            self.command, cwd=self.folder, env={**os.environ, **self.environment}, preexec_fn=limits,
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + self.limit
        try:
            while process.poll() is None:
                if stop.is_set():
                    return None
                if time.monotonic() > end:
                    return False
                time.sleep(0.02)
            return process.returncode == 0
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
            process.wait()


def run_tests(tests):
    """The name of the first test that failed, or None."""
    stop = threading.Event()
    failed = []

    def one(test):
        if stop.is_set():
            return
        if test.run(stop) is False:
            failed.append(test.name)
            stop.set()
    # One more than processors: those of the bulk engine wait for cards that are late on purpose.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + 1) as pool:
        list(pool.map(one, tests))
    return failed[0] if failed else None


class Snapshot:
    """The build folder as it was: what a mutant changed in it goes back, times included."""

    def __init__(self):
        self.pristine = HOME / "pristine"
        shutil.rmtree(self.pristine, ignore_errors=True)
        shutil.copytree(BUILD, self.pristine, symlinks=True)
        self.times = {p: p.stat().st_mtime_ns for p in self.files(BUILD)}

    @staticmethod
    def files(folder):
        return [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()]

    def changed(self):
        return [p for p in self.files(BUILD) if self.times.get(p) != p.stat().st_mtime_ns]

    def was(self, path):
        return self.pristine / path.relative_to(BUILD)

    def same_code(self):
        """Whether objects were rebuilt, and each is what it was."""
        objects = [p for p in self.changed() if p.suffix == ".o"]
        return bool(objects) and all(filecmp.cmp(p, self.was(p), shallow=False) for p in objects)

    def restore(self):
        for path in self.changed():
            path.unlink()
        for path in self.times:
            if not path.exists():
                shutil.copy2(self.was(path), path)


def set_up():
    """Copies, configures and builds; returns the tests, shortest first, with their time limits."""
    TREE.mkdir(parents=True, exist_ok=True)
    copy_tree()
    # As a debug build the SIMD units take the build's own flags, and have no bound on their frames.
    must("cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
         "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -w", "-DGPUCTR_MUTANTS=ON", "-DGPUCTR_CUDA=OFF", "-DGPUCTR_AVR=OFF",
         # The fewest for which every test has what it asks for; AES and DES have code of their own.
         "-DGPUCTR_CIPHERS=hight;lea;cham;aes;des",
         "-DGPUCTR_BENCH=OFF")
    done = build(["gpuctr", "fast"])
    if done.returncode != 0:
        sys.exit(done.stdout[-4000:] + "mutants: the tree does not build")
    listed = json.loads(must("ctest", "--show-only=json-v1", "-L", "^fast$", cwd=BUILD))
    tests = [Test(entry) for entry in listed["tests"]]
    for test in tests:
        start = time.monotonic()
        if not test.run(threading.Event()):
            sys.exit(f"mutants: {test.name} fails without a fault")
        test.took = time.monotonic() - start
        test.limit = 20 + 5 * test.took
    return sorted(tests, key=lambda test: test.took)


def part_of(name):
    return next((part for part, (files, _) in PARTS.items() if re.fullmatch(files, name)), None)


def changed_lines(base):
    """{file: numbers of the lines that are not in the commit}"""
    changed, name = {}, None
    for line in must("git", "diff", "-U0", "--no-ext-diff", base, "--", cwd=ROOT).splitlines():
        if line.startswith("+++ "):
            name = line[6:]
        match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if match:
            first, count = int(match.group(1)), int(match.group(2) or 1)
            changed.setdefault(name, set()).update(range(first, first + count))
    return changed


def candidates(base):
    """(file, line, faults) for each line of the parts that this build compiles."""
    deps = must("ninja", "-C", str(BUILD), "-t", "deps")
    # Absolute, or relative to the build folder where ccache made them so.
    paths = {os.path.normpath(BUILD / line.strip()) for line in deps.splitlines() if line[:1] == " "}
    compiled = {os.path.relpath(p, TREE) for p in paths if p.startswith(f"{TREE}/")}
    lines = changed_lines(base) if base else None
    found = []
    for name in sorted(compiled):
        if part_of(name) is None or (lines is not None and name not in lines):
            continue
        for number, faults in faults_of_text((TREE / name).read_text()).items():
            if lines is None or number in lines[name]:
                found.append((name, number, faults))
    return found


def attempt(mutant, tests, snapshot):
    """Sets the mutant's verdict, and how long it took."""
    began = time.monotonic()
    path = TREE / mutant["file"]
    text = path.read_text()
    times = path.stat()
    lines = text.split("\n")
    lines[mutant["line"] - 1] = mutant["to"]
    path.write_text("\n".join(lines))
    try:
        first = re.compile(PARTS[mutant["part"]][1])
        near = [test for test in tests if first.search(test.name)]
        far = [test for test in tests if test not in near]
        for group in (near, far):
            if build(["gpuctr", *{test.target for test in group}]).returncode != 0:
                mutant["verdict"] = "not built"
                return
            if snapshot.same_code():
                mutant["verdict"] = "same code"
                return
            failed = run_tests(group)
            if failed:
                mutant["verdict"], mutant["by"] = "killed", failed
                return
        mutant["verdict"] = "survived"
    finally:
        path.write_text(text)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        snapshot.restore()
        mutant["seconds"] = round(time.monotonic() - began, 1)


def earlier_verdicts(which):
    """The mutants of a run of the same that was stopped."""
    report = HOME / "report.json"
    if not report.exists():
        return []
    earlier = json.loads(report.read_text())
    return earlier["mutants"] if isinstance(earlier, dict) and earlier["of"] == which else []


def survivors_again(tests):
    """The last run's mutants, of which those that survived are planted once more."""
    path = HOME / "report.json"
    if not path.exists():
        sys.exit("mutants: there is no run yet whose faults could be planted again")
    report = json.loads(path.read_text())
    snapshot = Snapshot()
    for mutant in report["mutants"]:
        if mutant["verdict"] != "survived":
            continue
        lines = (TREE / mutant["file"]).read_text().split("\n")
        same = [n for n, line in enumerate(lines, 1) if line == mutant["from"]]
        if not same:
            print(f"gone      {mutant['file']}: {mutant['from'].strip()}", flush=True)
            continue
        mutant["line"] = min(same, key=lambda n: abs(n - mutant["line"]))
        attempt(mutant, tests, snapshot)
        print_mutant(mutant)
        path.write_text(json.dumps(report, indent=1))
    return report["mutants"]


def print_mutant(mutant):
    by = f" by {mutant['by']}" if "by" in mutant else ""
    seconds = f" ({mutant['seconds']} s)"
    print(f"{mutant['verdict']:9} {mutant['file']}:{mutant['line']}{by}{seconds}", flush=True)
    print(f"    {mutant['from'].strip()}\n    {mutant['to'].strip()}", flush=True)


def print_survivors(mutants):
    print("\nsurvived:")
    for mutant in mutants:
        if mutant["verdict"] == "survived":
            print(f"{mutant['file']}:{mutant['line']}: {mutant['from'].strip()}  ->  {mutant['to'].strip()}")
    table(mutants)


def table(mutants):
    verdicts = ["killed", "survived", "not built", "same code"]
    print(f"\n{'part':16}" + "".join(f"{v:>10}" for v in verdicts) + f"{'percent':>10}")
    for part in [*PARTS, "all"]:
        of = [m["verdict"] for m in mutants if part in (m["part"], "all")]
        if not of:
            continue
        counts = [of.count(v) for v in verdicts]
        tried = counts[0] + counts[1]
        percent = f"{100 * counts[0] / tried:.1f}" if tried else "-"
        print(f"{part:16}" + "".join(f"{c:>10}" for c in counts) + f"{percent:>10}")


def main(words):
    which = words[0] if words else "1"
    if which == "again":
        return print_survivors(survivors_again(set_up()))
    seed = int(which) if re.fullmatch(r"\d{1,6}", which) else 1
    base = None if re.fullmatch(r"\d{1,6}", which) else which
    count = int(words[1]) if len(words) > 1 else 150
    if base:
        must("git", "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}", cwd=ROOT)
    start = time.monotonic()
    tests = set_up()
    chosen = candidates(base)
    chance = random.Random(seed)
    everything = len(chosen)
    if not chosen and base is None:
        sys.exit("mutants: there is no line to plant a fault in")
    if len(chosen) > count:
        chosen = chance.sample(chosen, count)
    print(f"{len(chosen)} of {everything} lines, {len(tests)} tests of {sum(t.took for t in tests):.0f} s;"
          f" ready after {time.monotonic() - start:.0f} s", flush=True)
    print("the longest: " + ", ".join(f"{t.name} {t.took:.0f} s" for t in tests[:-6:-1]), flush=True)
    snapshot = Snapshot()
    which = " ".join([must("git", "rev-parse", "HEAD", cwd=ROOT).strip(), *words])
    done = earlier_verdicts(which)
    mutants = []
    for name, number, faults in chosen:
        was = (TREE / name).read_text().split("\n")[number - 1]
        mutant = {"part": part_of(name), "file": name, "line": number, "from": was,
                  "to": chance.choice(faults)}
        if len(mutants) < len(done):
            mutants.append(done[len(mutants)])
            continue
        attempt(mutant, tests, snapshot)
        mutants.append(mutant)
        print_mutant(mutant)
        (HOME / "report.json").write_text(json.dumps({"of": which, "mutants": mutants}, indent=1))
    print_survivors(mutants)


if __name__ == "__main__":
    main(sys.argv[1:])
