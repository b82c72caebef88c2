"""Encrypts, decrypts or checks one large object on a Dask cluster, range by range, in counter mode.

  cluster.py encrypt plain sealed/ --cipher LEA-256-CTR --key-file /etc/key.hex --scheduler tcp://host:8786
  cluster.py decrypt sealed/ plain/ --cipher ... --key-command 'vault read ...'      # and `check`, with the same words

SOURCE is an object, or a folder that this program made; TARGET is a folder of parts (`cat TARGET/part-*`) with a
manifest. Both are names that fsspec knows and every worker reaches. A run that ended early is begun again with the same
words and makes what is missing. A changed source, another key, cipher or IV is refused.
"""

import argparse
import functools
import json
import pathlib
import secrets
import sys
import time

import distributed
import fsspec
import gpuctr
import ranges


def make_plan(words, client):
    iv_bytes = client.submit(ranges.iv_bytes, words.cipher).result()
    if words.iv and len(bytes.fromhex(words.iv)) != iv_bytes:
        raise ranges.Refused(f"the IV of {words.cipher} has {iv_bytes} bytes, not {len(bytes.fromhex(words.iv))}")
    filesystem, name = fsspec.core.url_to_fs(words.source)
    parts = filesystem.exists(f"{name}/{ranges.MANIFEST}")
    plan = {"parts": parts, "source": words.source, "target": words.target, "cipher": words.cipher,
            "identity": ranges.identity(f"{words.source}/{ranges.MANIFEST}" if parts else words.source),
            "key_check": client.submit(ranges.key_check, words.key_from, pure=False).result()}
    if parts:
        with fsspec.open(f"{words.source}/{ranges.MANIFEST}") as file:
            made = json.load(file)
        plan.update({field: made[field] for field in ("iv", "range", "size")})
    else:
        plan.update(iv=words.iv, range=words.range, size=filesystem.size(name))
    filesystem, name = fsspec.core.url_to_fs(f"{words.target}/{ranges.MANIFEST}")
    if filesystem.exists(name):
        begun = json.loads(filesystem.cat_file(name))
        plan["iv"] = plan["iv"] or begun["iv"]
        for field, value in plan.items():
            if begun[field] != value:
                what = f"{words.source} has changed" if field == "identity" else f"{field} is another"
                raise ranges.Refused(f"{what} than when {words.target} was begun")
    elif words.job == "encrypt" or (words.job == "decrypt" and plan["iv"]):
        plan["iv"] = plan["iv"] or secrets.token_hex(iv_bytes)
        filesystem.makedirs(words.target, exist_ok=True)
        filesystem.pipe_file(name, json.dumps(plan).encode())
    else:
        raise ranges.Refused(f"there is no {name}" if plan["iv"] else "decryption needs --iv")
    return plan | {"key_from": words.key_from}


def missing(plan):
    filesystem, name = fsspec.core.url_to_fs(plan["target"])
    sizes = {pathlib.PurePath(i["name"]).name: i["size"] for i in filesystem.ls(name, detail=True)}
    for i in range(-(-plan["size"] // plan["range"])):
        if sizes.get(ranges.part("", i)[1:]) != min(plan["range"], plan["size"] - i * plan["range"]):
            yield i


def run(words, client):
    client.upload_file(str(pathlib.Path(__file__).with_name("ranges.py")))  # to workers that come later as well
    plan = make_plan(words, client)
    every = range(-(-plan["size"] // plan["range"]))
    task, todo = (ranges.check, every) if words.job == "check" else (ranges.make, list(missing(plan)))
    print(f"{len(todo)} of {len(every)} ranges to do", flush=True)
    futures = client.map(functools.partial(task, plan), todo, pure=False, retries=2)
    done, start, wrong = 0, time.monotonic(), []
    number = {future.key: i for future, i in zip(futures, todo)}
    for count, (future, (size, good)) in enumerate(distributed.as_completed(futures, with_results=True), 1):
        done += size
        wrong += [] if good else [number[future.key]]
        if sys.stderr.isatty() or count == len(todo):
            bar, rate = "#" * (40 * count // len(todo)), done / (time.monotonic() - start) / 1e9
            print(f"\r[{bar:<40}] {count} of {len(todo)}, {done / 1e9:.2f} GB, {rate:.2f} GB/s", end="", file=sys.stderr)
    print(file=sys.stderr)
    wrong += [] if words.job == "check" else missing(plan)
    if wrong:
        raise ranges.Refused(f"{len(wrong)} ranges are not what they should be, the first is {min(wrong)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=["encrypt", "decrypt", "check"])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--cipher", default="LEA-256-CTR")
    parser.add_argument("--iv", help="hexadecimal, one block; encryption makes a random one")
    parser.add_argument("--range", type=int, default=64 << 20, help="bytes of a range, any number")
    parser.add_argument("--scheduler", help="address of a running cluster; without it, one is made on this machine")
    parser.add_argument("--workers", type=int, default=4, help="of the cluster on this machine")
    key = parser.add_mutually_exclusive_group(required=True)
    for kind in ("file", "command"):
        key.add_argument(f"--key-{kind}", dest="key_from", type=lambda text, kind=kind: (kind, text),
                         help="on each worker, gives the key in hexadecimal")
    words = parser.parse_args()
    try:
        with distributed.Client(words.scheduler) if words.scheduler else distributed.Client(
                n_workers=words.workers, threads_per_worker=1) as client:
            run(words, client)
    except (ranges.Refused, gpuctr.Error, OSError, ValueError) as error:
        sys.exit(f"cluster.py: {error}")


if __name__ == "__main__":
    main()
