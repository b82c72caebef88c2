"""usage: cavp_test.py MODULE FAMILIES

Runs cavp.py on the requests in the folders of fixtures/: NAME.rsp is the whole published response, and NAME.part has records that
must be in it. Then on bad files: one line on stderr that names file and line, status 1, and no response, not even a
changed one. FAMILIES are the folders of ciphers in this build, parted by commas; fixtures of others are left out.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "fixtures")

KAT = "KEY = 00000000000000000000000000000000\nPT = 80000000000000000000000000000000\n"
# Name, content, line that is to blame (0: none), words of the message.
BAD = [
    ("LEA128(ECB)KAT.req", KAT + "\nKEY = 0011\nPT = 80000000000000000000000000000000\n", 4, "16 bytes, not 2"),
    ("LEA128(ECB)KAT.req", KAT.replace("8000", "80 0"), 2, "PT is not whole bytes in hexadecimal"),
    ("LEA128(ECB)KAT.req", KAT.replace("80000", "8000"), 2, "PT is not whole bytes in hexadecimal"),
    ("LEA128(ECB)KAT.req", KAT + "what is this\n", 3, "neither a field, a heading nor a comment"),
    ("LEA128(ECB)KAT.req", "PT = 80000000000000000000000000000000\n", 1, "no KEY"),
    ("LEA128(ECB)KAT.req", KAT[:37] + "\n" + "IV = 00\nXT = 00\n", 1, "no plaintext and no ciphertext"),
    ("LEA128(CBC)KAT.req", KAT, 1, "no IV"),
    ("LEA128(ECB)MMT.req", KAT.rstrip() + "00\n", 1, "does not take 17 bytes"),
    ("LEA128(ECB)MCT.req", KAT.rstrip() + "00\n", 1, "begins with one block"),
    ("LEA128(ECB)KAT.req", "# nothing\n", 0, "asks for nothing"),
    ("LEA128(ECB)KAT.req", "", 0, "asks for nothing"),
    ("LEA128(ECB)KAT.req", KAT + "\xb0\xa1 = 00\n", 3, "neither a field, a heading nor a comment"),
    ("LEA128(ECB)KAT.sam", KAT + "CT = ?\nXT = ?\n", 4, "no answer is known to XT"),
    ("LEA512(ECB)KAT.req", KAT, 1, "names the cipher"),
    ("LEA128(EAX)KAT.req", KAT, 0, "the name has no mode"),
    ("XTSGenAES128.req", f"DataUnitLen = 130\nKey = {'01' * 16}{'02' * 16}\ni = {'00' * 16}\nPT = {'00' * 17}\n", 4,
     "PT has 17 bytes, and DataUnitLen of line 1 is 130 bits"),
    ("XTSGenAES128.req", f"Key = {'01' * 32}\ni = {'00' * 16}\nPT = {'00' * 16}\n", 1, "xts duplicated keys"),
    ("XTSGenAES128.req", f"Key = {'01' * 16}{'02' * 16}\ni = {'00' * 16}\nPT = 00\n", 1, "does not take 1 bytes"),
    ("XTSGenAES128.req", f"Key = {'01' * 16}{'02' * 16}\nPT = {'00' * 16}\n", 1, "no i"),
    ("LEA128(CFB64)KAT.req", KAT + "IV = " + "00" * 16 + "\n", 1, "no CFB of LEA-128 with segments of 64 bits"),
    ("LEA128(CFB1)KAT.req", KAT + "IV = " + "00" * 16 + "\n", 2, "PT is not bits, 0 or 1"),
    ("LEA128(CFB1)MCT.req", KAT.replace("8" + "0" * 31, "10") + "IV = " + "00" * 16 + "\n", 1, "begins with one bit"),
    ("LEA128(CFB8)MCT.req", KAT + "IV = " + "00" * 16 + "\n", 1, "begins with one byte"),
    ("LEA128(OFB)MCT.req", KAT.rstrip() + "00\nIV = " + "00" * 16 + "\n", 1, "begins with one block"),
    ("LEA128(ECB)KAT.txt", KAT, 0, "ends in .req or .sam"),
    ("GCM_LEA-128_AE.req", "Key = 00\nIV = 00\nPT =\n", 1, "TagLen"),
    ("GCM_LEA-128_AE.req", "[TagLen = many]\nKey = 00\nIV = 00\nPT =\n", 1, "TagLen is no number"),
    ("GCM_LEA-128_AE.req", "[TagLen = 128]\n[IVlen = 96]\n\nKey = " + "00" * 16 + "\nIV = 0011\nPT =\n", 5,
     "IV has 2 bytes, and IVlen of line 2 is 96 bits"),
    ("GCM_LEA-128_AE.req", "[TagLen = 128]\n[KeyLen = 256]\nKey = " + "00" * 16 + "\nIV = 00\nPT =\n", 3,
     "Key has 16 bytes, and KeyLen of line 2 is 256 bits"),
    ("GCM_LEA-128_AE.req", "[TagLen = 128]\n[PTLen = 8]\nKey = " + "00" * 16 + "\nIV = 00\nPT =\n", 5,
     "PT has 0 bytes, and PTLen of line 2 is 8 bits"),
    ("GCM_LEA-128_AE.req", "[TagLen = 128]\n[AADLen = 0]\nKey = " + "00" * 16 + "\nIV = 00\nPT =\nAdata = 01\n", 6,
     "Adata has 1 bytes, and AADLen of line 2 is 0 bits"),
    ("GCM_LEA-128_AD.req", "[TagLen = 96]\nKey = " + "00" * 16 + "\nIV = 00\nC =\nT = 0011\n", 5,
     "T has 2 bytes, and TagLen of line 1 is 96 bits"),
    ("CCM_LEA-128_GE.req", f"Nlen = 104\nTlen = 64\nK = {'00' * 16}\nN = {'00' * 12}\nA =\nP = 00\n", 4,
     "N has 12 bytes, and Nlen of line 1 is 104 bits"),
    ("CMAC_LEA-128_Gen.req", f"Mlen = 16\nTlen = 64\nK = {'00' * 16}\nM = 00\n", 4,
     "M has 1 bytes, and Mlen of line 1 is 16 bits"),
    ("CTR_DRBG(LEA-128(use DF)(no PR))_KAT.req", "[ReturnedBitsLen = 128]\n[NonceLen = 128]\nEntropyInput = " +
     "00" * 16 + "\nNonce = 00\n", 4, "Nonce has 1 bytes, and NonceLen of line 2 is 128 bits"),
    ("CMAC_LEA-128_Gen.req", f"Tlen = 256\nK = {'0' * 32}\nM = 00\n", 1, "has 16"),
    ("KW_LEA-128_AE.req", f"K = {'00' * 16}\nP = 0011\n", 1, "does not take 2 bytes"),
    ("CTR_DRBG(LEA-128)_KAT.req", "[ReturnedBitsLen = 128]\nEntropyInput = 00\n", 2, "use df, or no df"),
    ("CTR_DRBG(LEA-128(use DF)(no PR))_KAT.req", "[ReturnedBitsLen = 128]\nEntropyInput = " + "00" * 16 +
     "\nNonce = " + "00" * 8 + "\nAdditionalInput =\n", 2, "two values of AdditionalInput"),
]

module, families = os.path.abspath(sys.argv[1]), sys.argv[2].lower().split(",")
scratch = ""


def run(*arguments):
    command = [sys.executable, os.path.join(HERE, "cavp.py"), "--modules", os.path.dirname(module), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def records(text):
    return [block.strip("\n") for block in re.split(r"\n\s*\n", text)]


def content(path):
    """The text of a file; None if there is none."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="ascii", newline="") as file:
        return file.read()


def is_of_this_build(path):
    match = re.search("aria|lea|seed|hight|camellia|cham", os.path.basename(path), re.IGNORECASE)
    return (match.group(0).lower() if match else "aes") in families


class Cavp(unittest.TestCase):
    def test_published_requests(self):
        requests = [path for path in sorted(glob.glob(os.path.join(FIXTURES, "*", "*.*")))
                    if path.endswith((".req", ".sam")) and is_of_this_build(path)]
        self.assertTrue(requests, "no fixture is of this build's ciphers")
        done = run(*(shutil.copy(path, scratch) for path in requests))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        for path in requests:
            with self.subTest(path):
                self.compare(os.path.splitext(path)[0])
        print(f"cavp: {len(requests)} published requests")

    def compare(self, fixture):
        got = content(os.path.join(scratch, os.path.basename(fixture) + ".rsp"))
        whole, part = content(fixture + ".rsp"), content(fixture + ".part")
        if whole is not None:
            self.assertEqual(whole, got)
            return
        self.assertIsNotNone(part, "the fixture has no response")
        for record in records(part):
            if record.strip():
                self.assertIn(record, records(got))

    def test_bad_requests(self):
        bad = [case for case in BAD if is_of_this_build(case[0])]
        for case in bad:
            # An earlier response must stay; the first case runs without one too.
            for before in ("an earlier response", None) if case is bad[0] else ("an earlier response",):
                with self.subTest(case):
                    self.refuse(*case, before)
        print(f"cavp: {len(bad)} bad requests")

    def refuse(self, name, text, line, words, before):
        path = os.path.join(scratch, name)
        response = os.path.splitext(path)[0] + ".rsp"
        with open(path, "w", encoding="latin-1") as file:
            file.write(text)
        if os.path.exists(response):
            os.unlink(response)
        if before is not None:
            with open(response, "w", encoding="ascii") as file:
                file.write(before)
        done = run(path)
        self.assertEqual((1, 1), (done.returncode, done.stderr.count("\n")), done.stderr)
        self.assertTrue(done.stderr.startswith(f"cavp: {path}:{line}: " if line else f"cavp: {path}: "), done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(before, content(response), "a response was written")
        self.assertEqual([], [entry for entry in os.listdir(scratch) if entry.startswith(".cavp")])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        unittest.main(argv=sys.argv[:1])
