#!/usr/bin/env python3
"""Modular encryption of Parquet with gpuctr.Batch: all pages of a file in one or two calls.

    python parquet_pages.py [ROWS] [PAGE_BYTES]

pyarrow writes a table with AES_GCM_V1 and with AES_GCM_CTR_V1. The program opens the page headers and the pages of all
columns in one batch of GCM (and one of CTR), and compares the pages with those of a file without encryption. Then it
seals them again with new nonces, and pyarrow reads the result.

Parquet's Encryption.md: a module is a length of 4 bytes, a nonce of 12, the ciphertext and, in GCM, a tag of 16.
Needs pyarrow and numpy, and a folder for temporary files.
"""

import base64
import datetime
import json
import os
import pathlib
import sys
import tempfile
import time

import gpuctr
import numpy
import pyarrow
import pyarrow.parquet
import pyarrow.parquet.encryption as encryption

NONCE, TAG, KEY = 12, 16, 16
# The types of modules in the associated data.
FOOTER, COLUMN, DATA_PAGE, DICTIONARY_PAGE, DATA_HEADER, DICTIONARY_HEADER = range(6)


class Compact:
    """Thrift's compact protocol, as far as Parquet's metadata need it: structs become dictionaries of their fields."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def binary(self):
        size = self.varint()
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def items(self):
        byte = self.data[self.at]
        self.at += 1
        size = byte >> 4 if byte >> 4 < 15 else self.varint()
        return [self.value(byte & 15, True) for _ in range(size)]

    def value(self, kind, in_list=False):
        if kind in (1, 2) and not in_list:
            return kind == 1
        if kind in (1, 2, 3):
            self.at += 1
            return self.data[self.at - 1]
        if kind == 7:
            self.at += 8
            return None
        return {4: self.zigzag, 5: self.zigzag, 6: self.zigzag, 8: self.binary, 9: self.items,
                12: self.struct}[kind]()

    def struct(self):
        fields, field = {}, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            if byte == 0:
                return fields
            field = field + (byte >> 4) if byte >> 4 else self.zigzag()
            fields[field] = self.value(byte & 15)


class Kms(encryption.KmsClient):
    """Keys in clear text: for a demonstration only."""

    def __init__(self, _config):
        super().__init__()

    def wrap_key(self, key, _master):
        return base64.b64encode(key)

    def unwrap_key(self, wrapped, _master):
        return base64.b64decode(wrapped)


def key_of(material):
    """The data key in the key material that pyarrow wrote for Kms, without double wrapping."""
    return base64.b64decode(json.loads(material)["wrappedDEK"])


FACTORY = encryption.CryptoFactory(Kms)
KMS = encryption.KmsConnectionConfig()


def write(table, path, algorithm, page_bytes):
    """A file by pyarrow; algorithm None: without encryption."""
    more = {}
    if algorithm is not None:
        config = encryption.EncryptionConfiguration(
            footer_key="footer", column_keys={"a": ["id", "amount"], "b": ["name", "when"]}, encryption_algorithm=algorithm,
            double_wrapping=False, plaintext_footer=False, data_key_length_bits=8 * KEY)
        more["encryption_properties"] = FACTORY.file_encryption_properties(KMS, config)
    pyarrow.parquet.write_table(table, path, data_page_size=page_bytes, compression="none", row_group_size=1 << 17,
                                use_dictionary=["name"], **more)


def read(path):
    properties = FACTORY.file_decryption_properties(
        KMS, encryption.DecryptionConfiguration(cache_lifetime=datetime.timedelta(minutes=5)))
    return pyarrow.parquet.ParquetFile(path, decryption_properties=properties).read()


def module_at(data, at):
    """Where the nonce of a module is, and where the module ends."""
    return at + 4, at + 4 + int.from_bytes(data[at:at + 4], "little")


class File:
    """An encrypted file: its keys, and its modules of GCM and of CTR."""

    def __init__(self, data):
        self.data, self.keys = data, []
        size = int.from_bytes(data[-8:-4], "little")
        if data[-4:] != b"PARE":
            raise SystemExit("the footer is not encrypted")
        crypto = Compact(data, len(data) - 8 - size)
        metadata = crypto.struct()
        (self.kind, algorithm), = metadata[1].items()  # 1: AES_GCM_V1, 2: AES_GCM_CTR_V1
        self.unique = algorithm.get(1, b"") + algorithm[2]
        self.gcm, self.ctr = [], []  # (nonce at, end, key number, associated data)
        footer_key = self.key(metadata[2])
        footer = self.open_one(crypto.at, footer_key, FOOTER)
        for group, row_group in enumerate(Compact(footer).struct()[4]):
            for column, chunk in enumerate(row_group[1]):
                self.add_chunk(chunk, row_group.get(7, group), column, footer_key)

    def key(self, material):
        key = key_of(material)
        if key not in self.keys:
            self.keys.append(key)
        return self.keys.index(key)

    def aad(self, module, *ordinals):
        return self.unique + bytes([module]) + b"".join(n.to_bytes(2, "little") for n in ordinals)

    def open_one(self, at, key, module, *ordinals, data=None):
        data = self.data if data is None else data
        begin, end = module_at(data, at)
        cipher = gpuctr.Cipher("AES-128-GCM", self.keys[key])
        return cipher.open(bytes(data[begin:begin + NONCE]), bytes(data[begin + NONCE:end]),
                           self.aad(module, *ordinals))

    def add_chunk(self, chunk, group, column, footer_key):
        """The modules of a column's pages: headers and pages take turns, and their lengths lead from each to the
        next."""
        if 8 not in chunk:  # a column without encryption
            return
        (kind, crypto), = chunk[8].items()  # 1: the footer's key; 2: a key of the column's own
        key = footer_key if kind == 1 else self.key(crypto[2])
        metadata = chunk.get(3)
        if kind == 2:
            sealed = chunk[9]
            metadata = Compact(self.open_one(0, key, COLUMN, group, column, data=sealed)).struct()
        at, page = metadata.get(11, metadata[9]), 0
        end = at + metadata[7]
        while at < end:
            in_dictionary = at < metadata[9]
            ordinals = (group, column) if in_dictionary else (group, column, page)
            for is_page in (False, True):
                begin, at = module_at(self.data, at)
                module = (DICTIONARY_HEADER if in_dictionary else DATA_HEADER) - 2 * is_page
                modules = self.ctr if is_page and self.kind == 2 else self.gcm
                modules.append((begin, at, key, self.aad(module, *ordinals), is_page))
            page += not in_dictionary

    def batches(self, seal=False):
        """Opens or seals all modules in place. Sealing takes new nonces."""
        data = numpy.frombuffer(self.data, "uint8")
        for modules, name, tag in ((self.gcm, "AES-128-GCM", TAG), (self.ctr, "AES-128-CTR", 0)):
            if not modules:
                continue
            count = len(modules)
            begin = numpy.array([m[0] for m in modules], "int64")
            end = numpy.array([m[1] for m in modules], "int64")
            nonces = begin[:, None] + numpy.arange(NONCE)
            if seal:
                data[nonces] = numpy.frombuffer(os.urandom(NONCE * count), "uint8").reshape(count, NONCE)
            arrays = {"lengths": (end - begin - NONCE - tag).astype("uint32"),
                      "offsets": (begin + NONCE).astype("uint64"), "index": [m[2] for m in modules]}
            with gpuctr.Batch(name, b"".join(self.keys)) as batch:
                if tag == 0:  # the counter begins with 1
                    counters = numpy.tile(numpy.array([0, 0, 0, 1], "uint8"), (count, 1))
                    (batch.encrypt_into if seal else batch.decrypt_into)(numpy.hstack([data[nonces], counters]), data,
                                                                         **arrays)
                    continue
                at = (end - tag)[:, None] + numpy.arange(tag)
                aad = {"aad": b"".join(m[3] for m in modules), "aad_lengths": [len(m[3]) for m in modules]}
                tags = numpy.ascontiguousarray(data[at])
                if seal:
                    batch.seal_into(data[nonces], data, tags, **arrays, **aad)
                    data[at] = tags
                elif 0 in (good := batch.open_into(data[nonces], data, tags, **arrays, **aad)):
                    raise SystemExit(f"module {good.index(0)} has a wrong tag")

    def pages(self):
        """The texts of the pages, after batches(): in the order of the file."""
        tag = 0 if self.kind == 2 else TAG
        pages = sorted(m for m in self.gcm + self.ctr if m[4])
        return [bytes(self.data[m[0] + NONCE:m[1] - tag]) for m in pages]


def plain_pages(data):
    """The pages of a file without encryption, in the order of the file."""
    pages = []
    footer = Compact(data, len(data) - 8 - int.from_bytes(data[-8:-4], "little")).struct()
    for row_group in footer[4]:
        for chunk in row_group[1]:
            metadata = chunk[3]
            at = metadata.get(11, metadata[9])
            end = at + metadata[7]
            while at < end:
                header = Compact(data, at)
                size = header.struct()[3]
                at = header.at + size
                pages.append(bytes(data[header.at:at]))
    return pages


def main():
    rows, page_bytes = (int(a) for a in (sys.argv[1:] + ["200000", "16384"][len(sys.argv) - 1:]))
    random = numpy.random.default_rng(1)
    table = pyarrow.table({
        "id": random.integers(0, 1 << 60, rows), "amount": random.random(rows), "when": random.integers(0, 1 << 40, rows),
        "name": pyarrow.array([f"device {i}" for i in random.integers(0, 1000, rows)])})
    with tempfile.TemporaryDirectory() as folder:
        plain, sealed = pathlib.Path(folder, "plain"), pathlib.Path(folder, "sealed")
        write(table, plain, None, page_bytes)
        expected = plain_pages(plain.read_bytes())
        for algorithm in ("AES_GCM_V1", "AES_GCM_CTR_V1"):
            write(table, sealed, algorithm, page_bytes)
            file = File(bytearray(sealed.read_bytes()))
            start = time.perf_counter()
            file.batches()
            opened = time.perf_counter() - start
            if file.pages() != expected:
                raise SystemExit(f"{algorithm}: the pages differ from those without encryption")
            file.batches(seal=True)
            sealed.write_bytes(file.data)
            start = time.perf_counter()
            again = read(sealed)
            by_pyarrow = time.perf_counter() - start
            if again != table:
                raise SystemExit(f"{algorithm}: pyarrow reads another table")
            size = sum(map(len, expected))
            print(f"{algorithm}: {len(expected)} pages of {size // len(expected)} bytes under {len(file.keys)} keys: "
                  f"opened at {size / opened / 1e9:.2f} GB/s, sealed again, read by pyarrow (opening and decoding at "
                  f"{size / by_pyarrow / 1e9:.2f} GB/s)")


if __name__ == "__main__":
    main()
