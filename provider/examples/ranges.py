"""What a worker does with one range of a large object; cluster.py sends this file to every worker, which
has the package gpuctr.

A plan says everything but the key, which each worker takes from a file or a command of its own: what is in a task's
arguments, a scheduler may log, spill and show.
"""

import hmac
import os
import subprocess
import uuid

import fsspec
import gpuctr
from fsspec.implementations.local import LocalFileSystem

MANIFEST = "manifest.json"


class Refused(Exception):
    pass


def part(folder, i):
    return f"{folder}/part-{i:08d}"  # `cat folder/part-*` is the object


def identity(path):
    """What changes when the object does, as far as its store tells."""
    filesystem, name = fsspec.core.url_to_fs(path)
    info = filesystem.info(name)
    known = ("size", "mtime", "ino", "ETag", "etag", "md5Hash", "generation", "LastModified", "last_modified")
    return {field: str(info[field]) for field in known if info.get(field) is not None}


def read_key(where):
    kind, text = where
    if kind == "file":
        with open(text, encoding="ascii") as file:
            return bytes.fromhex(file.read().strip())
    return bytes.fromhex(subprocess.run(text, shell=True, check=True, capture_output=True, text=True).stdout.strip())


def key_check(where):
    """Tells keys from one another and does not tell the key."""
    return hmac.new(read_key(where), b"provider/examples/ranges.py", "sha256").hexdigest()


def iv_bytes(name):
    """The size of an IV. Refuses a cipher that is not in counter mode."""
    info = gpuctr.default_provider().cipher_info(name)
    if info.mode != "CTR":
        raise Refused(f"{name} is not a cipher in counter mode")
    return info.iv_length


def crypt(plan, i):
    """The bytes of range i, encrypted or decrypted: counter mode does the same for both."""
    at = i * plan["range"]
    size = min(plan["range"], plan["size"] - at)
    path, start = (part(plan["source"], i), 0) if plan["parts"] else (plan["source"], at)
    witness = f"{plan['source']}/{MANIFEST}" if plan["parts"] else plan["source"]
    key = read_key(plan["key_from"])
    if key_check(plan["key_from"]) != plan["key_check"]:
        raise Refused("this worker has another key than the one that the target was begun with")
    filesystem, name = fsspec.core.url_to_fs(path)
    data = bytearray(filesystem.cat_file(name, start, start + size))
    # After the reading: a source that changes now is no longer what the others read.
    if identity(witness) != plan["identity"] or len(data) != size:
        raise Refused(f"{plan['source']} has changed since the target was begun")
    with gpuctr.Cipher(plan["cipher"], key) as cipher:
        cipher.encrypt_into(bytes.fromhex(plan["iv"]), data, offset=at)
    return data


def make(plan, i):
    """Makes one part. It is there with all its bytes or not at all, also when a worker dies or two make the same."""
    data = crypt(plan, i)
    filesystem, name = fsspec.core.url_to_fs(part(plan["target"], i))
    if not isinstance(filesystem, LocalFileSystem):
        filesystem.pipe_file(name, bytes(data))  # an object store shows an object when it is complete
        return len(data), True
    unfinished = f"{name}.{uuid.uuid4().hex}"
    with open(unfinished, "wb") as file:
        file.write(data)
    os.replace(unfinished, name)
    return len(data), True


def check(plan, i):
    """Whether the part is what the source gives."""
    data = crypt(plan, i)
    filesystem, name = fsspec.core.url_to_fs(part(plan["target"], i))
    return len(data), filesystem.exists(name) and filesystem.cat_file(name) == data
