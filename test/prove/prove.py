#!/usr/bin/env python3
"""Proves that the definitions of kernels/cipher are their standards, for every key and block.

usage: prove.py [--key-sizes N] [--tree FOLDER] [--work FOLDER] [NAME...]
       prove.py [--tree FOLDER] --replay NAME encrypt|decrypt KEY [TWEAK] BLOCK

A NAME is one of ciphers.py. --key-sizes: of a cipher with a range of key sizes only N of them. The exit status is 1 if a proof fails; its counterexample is printed.
"""

import argparse
import multiprocessing
import sys
import tempfile
from pathlib import Path

from ciphers import CIPHERS
from obligations import Prover
from subject import Subject

ROOT = Path(__file__).resolve().parents[2]


def replay(prover, cipher, words):
    way, *data = words
    got, want = prover.both(cipher, way, *map(bytes.fromhex, data))
    print(f"definition {got.hex()}\nstandard   {want.hex()}")
    return 0 if got == want else 1


JOBS = []


def one(number):
    prover, cipher, size = JOBS[number]
    lines = prover.prove(cipher, size)
    return prover.proved, lines


def main():
    known = {c.name: c for c in CIPHERS}
    parser = argparse.ArgumentParser()
    parser.add_argument("--key-sizes", type=int, default=100)
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", nargs="+", metavar="WORD")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    for name in args.names + (args.replay or [])[:1]:
        if name not in known:
            parser.error(f"there is no cipher {name}; there are {' '.join(known)}")
    with tempfile.TemporaryDirectory() as folder:
        work = args.work or Path(folder)
        work.mkdir(exist_ok=True, parents=True)
        subject = Subject(args.tree, work)
        if args.replay:
            return replay(Prover(subject, work), known[args.replay[0]], args.replay[1:])
        ciphers = [known[name] for name in args.names] or CIPHERS
        JOBS.extend((Prover(subject, work), c, size) for c in ciphers for size in c.key_sizes(args.key_sizes))
        proved, failures = 0, []
        # Forked, the jobs share what is parsed of the module.
        with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
            for count, lines in pool.imap_unordered(one, range(len(JOBS))):
                proved += count
                failures += lines
                if lines:
                    print(*lines, sep="\n", flush=True)
        print(f"{proved} proofs, {sum(not line.startswith(' ') for line in failures)} failed")
        return 1 if failures or not proved else 0


if __name__ == "__main__":
    sys.exit(main())
