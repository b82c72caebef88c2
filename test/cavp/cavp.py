#!/usr/bin/env python3
"""Answers request files of algorithm validation programmes through EVP: NIST's CAVS, and the Korean one's, which
has the same form with other names of fields. FILE.req (or a template FILE.sam) gives FILE.rsp beside it.

usage: cavp.py [--cipher NAME] [--properties QUERY] [--modules FOLDER] FILE...

ECB, CBC, CFB, OFB and CTR: known answers, messages of several blocks, Monte Carlo tests; GCM, CCM, CMAC, KW, KWP, XTS,
CTR_DRBG. Cipher, mode and test come from the file's name, as in LEA128(CBC)MCT.req, HIGHT(CFB64)KAT.req,
ARIA-256_(CTR)_KAT.req, GCM_LEA-128_AE.req, CTR_DRBG(ARIA-128(use DF)(no PR))_KAT.req, CBCMCT128.req, CMACGenAES128.req,
XTSGenAES128.req, KW_AE_128_inv.req; and from a heading [AES-128 use df].

  --cipher NAME       the cipher, where neither name nor heading tells: LEA-128, HIGHT, CHAM-128-128
  --properties QUERY  what a cipher must have (provider=gpuctr); provider=default: OpenSSL's own answers
  --modules FOLDER    where gpuctr.so is; else OPENSSL_MODULES, or OpenSSL's own folder

A file that cannot be answered gives one line on stderr, and no .rsp; the exit status is then 1.
"""
import argparse
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import answers  # noqa: E402
from libcrypto import CryptoError, Library  # noqa: E402
from request import BadFile, Request  # noqa: E402

FAMILIES = {"AES": (128, 192, 256), "ARIA": (128, 192, 256), "LEA": (128, 192, 256), "CAMELLIA": (128, 192, 256),
            "SEED": (), "HIGHT": ()}
# NIST names the AES files of its modes by mode, test and key alone: CBCMCT128, gcmDecrypt256, VADT192.
NIST_AES = re.compile(r"(ecb|cbc|cfb128|cfb8|cfb1|ofb|ctr|gcm|cmac|KWP?|VADT|VNT|VPT|VTT|DVPT)\D*(128|192|256)",
                      re.IGNORECASE)


def cipher_in(text):
    """The cipher that a name or a heading names, or None."""
    match = re.search(r"CHAM[-_]?(64|128)[-_/](128|256)", text, re.IGNORECASE)
    if match:
        return f"CHAM-{match.group(1)}-{match.group(2)}"
    # CamelCase as in CMACGenAES128: any letter may stand before.
    match = re.search(r"(AES|ARIA|LEA|CAMELLIA|SEED|HIGHT)[-_ ]?(128|192|256)?", text, re.IGNORECASE)
    if not match:
        return None
    family, bits = match.group(1).upper(), match.group(2)
    if not FAMILIES[family]:
        return family
    return f"{family}-{bits}" if bits else None


def mode_in(stem):
    """CFB with its segment's bits, if the name has them: CFB128."""
    feedback = re.search(r"CFB[-_ ]?(\d+)?", stem, re.IGNORECASE)
    if feedback:
        return "CFB" + (feedback.group(1) or "")
    for mode in ("CTR_DRBG", "CMAC", "GCM", "CCM", "ECB", "CBC", "OFB", "CTR", "XTS"):
        if re.search(mode.replace("_", "[_-]?"), stem, re.IGNORECASE):
            return mode
    match = re.match(r"KWP?(?=_)", stem, re.IGNORECASE)
    if match:
        return match.group().upper()
    return "CCM" if re.match(r"(VADT|VNT|VPT|VTT|DVPT)\d", stem, re.IGNORECASE) else None


class Job:
    """One file: what it asks for, and of whom."""

    def __init__(self, path, library, cipher):
        self.stem = os.path.splitext(os.path.basename(path))[0]
        self.library = library
        # Comments may be in any encoding; in Latin-1 each byte comes out as it went in.
        with open(path, encoding="latin-1", newline="") as file:
            self.request = Request(file.read().removeprefix("\xef\xbb\xbf"))
        self.mode = mode_in(self.stem)
        if self.mode is None:
            raise BadFile(0, "the name has no mode: ECB, CBC, CFB, OFB, CTR, GCM, CCM, CMAC, KW, KWP, XTS or CTR_DRBG")
        nist = NIST_AES.search(self.stem)
        self.named = cipher or cipher_in(self.stem) or (f"AES-{nist.group(2)}" if nist else None)
        self.cipher = self.named

    def use_df(self, record):
        """Whether the heading [AES-128 use df], or the name, asks for the derivation function."""
        for text in (" ".join(record.words), self.stem):
            match = re.search(r"(use|no)[ _]df", text, re.IGNORECASE)
            if match:
                return match.group(1).lower() == "use"
        raise BadFile(record.number, "neither a heading nor the file's name says: use df, or no df")

    def response(self):
        simple = self.mode in ("ECB", "CBC", "OFB", "CTR") or self.mode.startswith("CFB")
        monte_carlo = simple and re.search("MCT|Monte", self.stem, re.IGNORECASE)
        answer = {"GCM": answers.gcm, "CCM": answers.ccm, "CMAC": answers.cmac_record,
                  "KW": answers.key_wrap, "KWP": answers.key_wrap, "XTS": answers.xts,
                  "CTR_DRBG": answers.ctr_drbg}.get(self.mode, answers.known_answer)
        if monte_carlo:
            answer = answers.monte_carlo
        records = [record for record in self.request.records
                   if not monte_carlo or any("?" not in line.value for line in record.lines if line.name != "COUNT")]
        if not records:
            raise BadFile(0, "the file asks for nothing")
        done = []
        for record in records:
            self.cipher = self.named or cipher_in(" ".join(record.words))
            if self.cipher is None:
                raise BadFile(record.number, "neither the file's name nor a heading names the cipher (--cipher)")
            try:
                answers.check_lengths(self.mode, record)
                done.append((record, answer(self, record)))
            except CryptoError as error:
                raise BadFile(record.number, str(error)) from None
        return self.request.written_chains(done) if monte_carlo else self.request.written(done)


def write(path, text):
    """The whole file or none of it."""
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".cavp-")
    try:
        with os.fdopen(handle, "w", encoding="latin-1", newline="") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~current_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cipher")
    parser.add_argument("--properties", default="provider=gpuctr")
    parser.add_argument("--modules")
    parser.add_argument("files", nargs="+", metavar="FILE")
    options = parser.parse_args()
    try:
        library = Library(options.properties, "gpuctr" if "gpuctr" in options.properties else None, options.modules)
    except CryptoError as error:
        sys.exit(f"cavp: {error}")
    for path in options.files:
        stem, ending = os.path.splitext(path)
        if ending not in (".req", ".sam"):
            sys.exit(f"cavp: {path}: a request's name ends in .req or .sam")
        try:
            write(stem + ".rsp", Job(path, library, options.cipher).response())
        except BadFile as error:
            sys.exit(f"cavp: {path}{f':{error.line}' if error.line else ''}: {error}")
        except OSError as error:
            sys.exit(f"cavp: {error.filename or path}: {error.strerror}")
        print(f"{stem}.rsp")


main()
