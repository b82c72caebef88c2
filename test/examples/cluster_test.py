"""The test that cluster.sh starts; WORK, BYTES and RANGE are in the environment, which worker processes inherit.

provider/examples/cluster.py on a cluster of four worker processes on this machine, one of which is killed half-way.
"""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

import cluster
import distributed
import fsspec
import ranges

EXAMPLES = pathlib.Path(__file__).parents[2] / "provider" / "examples"
BYTES = int(os.environ["BYTES"])
RANGE = int(os.environ["RANGE"])  # no multiple of a block
KEY, IV = bytes(range(32)).hex(), "f0" * 15 + "ff"
WORK = pathlib.Path(os.environ["WORK"])


def words(job, source, target, *more, key="key", iv=IV, command=None):
    """The program's arguments. The key comes slowly, so that a job lasts."""
    all_words = [job, str(WORK / source), str(WORK / target), "--range", str(RANGE), "--scheduler",
               Cluster.cluster.scheduler_address, "--key-command", command or f"sleep 0.03; cat {WORK / key}", *more]
    return all_words + (["--iv", iv] if iv else [])


def started(*arguments, **more):
    """A process of its own, which works while the test does something else."""
    command = [sys.executable, str(EXAMPLES / "cluster.py"), *words(*arguments, **more)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_here(*arguments, **more):
    """Its exit status and the output. Starting Python for each of these takes longer than their work."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        with unittest.mock.patch("sys.argv", ["cluster.py", *words(*arguments, **more)]):
            try:
                cluster.main()
                return 0, said.getvalue()
            except SystemExit as end:
                return 1, f"{said.getvalue()}\n{end.code}"


def parts(target):
    return sorted((WORK / target).glob("part-????????"))


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None)
        cls.client = distributed.Client(cls.cluster)
        (WORK / "key").write_text(KEY)
        (WORK / "other").write_text(KEY[::-1])
        noise = f"openssl enc -lea-128-ctr -K {KEY[:32]} -iv {IV} </dev/zero 2>/dev/null | head -c {BYTES} >{WORK}/plain"
        subprocess.run(noise, shell=True, check=True)
        subprocess.run(["openssl", "enc", "-lea-256-ctr", "-K", KEY, "-iv", IV, "-in", str(WORK / "plain"), "-out",
                        str(WORK / "stock")], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def ended(self, job):
        output = job.communicate()[0]
        return job.returncode, output

    def works(self, result, said=""):
        status, output = result
        self.assertEqual(status, 0, output)
        self.assertIn(said, output)

    def fails(self, result, said):
        status, output = result
        self.assertEqual(status, 1, output)
        self.assertIn(said, output.strip().splitlines()[-1])

    def test_1_encrypts_though_a_worker_dies(self):
        before = self.client.run(os.getpid)
        victim = sorted(before.values())[0]
        job = started("encrypt", "plain", "sealed", command=f"sleep 0.1; cat {WORK / 'key'}")  # half lasts half a second
        every = -(-BYTES // RANGE)
        while len(parts("sealed")) < every // 2 and job.poll() is None:
            time.sleep(0.001)
        os.kill(victim, signal.SIGKILL)
        self.assertLess(len(parts("sealed")), every, "it was over before the worker died")
        self.works(self.ended(job), f"{every} of {every} ranges to do")
        compare = f"cat {WORK}/sealed/part-???????? | cmp - {WORK}/stock"
        self.assertEqual(subprocess.run(compare, shell=True, check=False).returncode, 0)
        deadline = time.monotonic() + 30
        while len(now := self.client.run(os.getpid)) < 4 or victim in now.values():
            self.assertLess(time.monotonic(), deadline, "the worker is not replaced")
            time.sleep(0.1)
        self.assertNotIn(KEY, (WORK / "sealed" / "manifest.json").read_text())

    def test_2_makes_only_what_is_missing(self):
        stamps = {path: path.stat().st_mtime_ns for path in parts("sealed")}
        parts("sealed")[3].unlink()
        last = parts("sealed")[-1]
        os.truncate(last, last.stat().st_size // 2)
        self.works(run_here("encrypt", "plain", "sealed"), "2 of ")
        changed = [path for path, stamp in stamps.items() if path.stat().st_mtime_ns != stamp]
        self.assertEqual(len(changed), 2)
        self.works(run_here("encrypt", "plain", "sealed", iv=None), "0 of ")

    def test_2_on_an_object_store(self):
        store, size = fsspec.filesystem("memory"), 1000003
        store.pipe_file("/plain", (WORK / "plain").read_bytes()[:size])
        key_from = ("file", str(WORK / "key"))
        plan = {"parts": False, "source": "memory://plain", "target": "memory://sealed", "range": 100000, "size": size,
                "cipher": "LEA-256-CTR", "iv": IV, "key_from": key_from, "key_check": ranges.key_check(key_from),
                "identity": ranges.identity("memory://plain")}
        made = [ranges.make(plan, i) for i in range(11)]
        self.assertEqual(made, [(100000, True)] * 10 + [(3, True)])
        sealed = b"".join(store.cat_file(name) for name in sorted(store.ls("/sealed", detail=False)))
        self.assertEqual(sealed, (WORK / "stock").read_bytes()[:size])
        self.assertEqual(ranges.check(plan, 10), (3, True))
        store.pipe_file("/sealed/part-00000010", b"abc")
        self.assertEqual(ranges.check(plan, 10), (3, False))
        store.rm_file("/sealed/part-00000010")
        self.assertEqual(ranges.check(plan, 10), (3, False))
        store.pipe_file("/plain", b"shorter")
        with self.assertRaises(ranges.Refused):
            ranges.make(plan, 0)

    def test_3_decrypts_and_checks(self):
        self.works(run_here("decrypt", "sealed", "again", iv=None))
        compare = f"cat {WORK}/again/part-???????? | cmp - {WORK}/plain"
        self.assertEqual(subprocess.run(compare, shell=True, check=False).returncode, 0)
        self.works(run_here("check", "plain", "sealed"))
        self.works(run_here("check", "sealed", "again", iv=None))
        with open(parts("sealed")[5], "r+b") as file:
            byte = file.read(1)
            file.seek(0)
            file.write(bytes([byte[0] ^ 1]))
        self.fails(run_here("check", "plain", "sealed"), "1 ranges are not what they should be, the first is 5")

    def test_4_refuses(self):
        self.fails(run_here("encrypt", "plain", "sealed", key="other"), "key_check is another")
        self.fails(run_here("encrypt", "plain", "sealed", iv="00" * 16), "iv is another")
        self.fails(run_here("encrypt", "plain", "sealed", "--cipher", "LEA-128-CTR"), "cipher is another")
        then_other = f"cd {WORK}; if [ -e asked ]; then cat other; else touch asked; cat key; fi"
        self.fails(run_here("encrypt", "plain", "mixed", command=then_other), "this worker has another key")
        self.fails(run_here("encrypt", "plain", "new", "--cipher", "LEA-128-CTR"),
                   "LEA-128-CTR: the key has 32 bytes, not 16")
        for iv in (IV, None):
            self.fails(run_here("encrypt", "plain", "padded", "--cipher", "LEA-256-CBC", iv=iv),
                       "LEA-256-CBC is not a cipher in counter mode")
        self.fails(run_here("encrypt", "plain", "padded", iv="00" * 8), "LEA-256-CTR has 16 bytes, not 8")
        self.assertFalse((WORK / "padded").exists())
        self.fails(run_here("decrypt", "plain", "none", iv=None), "decryption needs --iv")
        self.fails(run_here("check", "plain", "none"), "there is no ")

    def test_5_refuses_a_source_that_changes(self):
        job = started("encrypt", "plain", "torn")
        while len(parts("torn")) < 2 and job.poll() is None:
            time.sleep(0.001)
        with open(WORK / "plain", "r+b") as file:
            file.write(b"x")
        os.utime(WORK / "plain", (0, 0))
        self.fails(self.ended(job), "has changed since the target was begun")
        self.fails(run_here("encrypt", "plain", "torn"), "has changed")


if __name__ == "__main__":
    unittest.main()
