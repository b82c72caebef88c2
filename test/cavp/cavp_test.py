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
    ("LEA128(XTS)KAT.req", KAT, 0, "the name has no mode"),
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
    ("CTR_DRBG(LEA-128)_KAT.req", "[ReturnedBitsLen = 128]\nEntropyInput = 00\n", 2, "use df, or no df"),
    ("CTR_DRBG(LEA-128(use DF)(no PR))_KAT.req", "[ReturnedBitsLen = 128]\nEntropyInput = " + "00" * 16 +
     "\nNonce = " + "00" * 8 + "\nAdditionalInput =\n", 2, "two values of AdditionalInput"),
]

failures = []
module, families = os.path.abspath(sys.argv[1]), sys.argv[2].lower().split(",")
scratch = tempfile.mkdtemp()


def run(*arguments):
    command = [sys.executable, os.path.join(HERE, "cavp.py"), "--modules", os.path.dirname(module), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def records(text):
    return [block.strip("\n") for block in re.split(r"\n\s*\n", text)]


def family(stem):
    match = re.search("aria|lea|seed|hight|camellia|cham", stem, re.IGNORECASE)
    return match.group(0).lower() if match else "aes"


def answered(paths):
    """Runs the fixtures' requests at once; the failures."""
    done = run(*(shutil.copy(path, scratch) for path in paths))
    if done.returncode != 0 or done.stderr:
        return [f"status {done.returncode}: {done.stderr.strip()}"]
    return [f"{path}: {wrong}" for path in paths if (wrong := compared(os.path.splitext(path)[0]))]


def compared(fixture):
    with open(os.path.join(scratch, os.path.basename(fixture) + ".rsp"), encoding="ascii", newline="") as file:
        got = file.read()
    for ending in (".rsp", ".part"):
        path = fixture + ending
        if not os.path.exists(path):
            continue
        with open(path, encoding="ascii", newline="") as file:
            wanted = file.read()
        if ending == ".rsp":
            return None if got == wanted else "the response is not the published one"
        missing = [record for record in records(wanted) if record.strip() and record not in records(got)]
        return f"the response lacks a published record: {missing[0]}" if missing else None
    return "the fixture has no response"


def refused(case_number, name, content, line, words):
    path = os.path.join(scratch, name)
    response = os.path.splitext(path)[0] + ".rsp"
    with open(path, "w", encoding="latin-1") as file:
        file.write(content)
    # Most cases have an earlier response in the way, which is to stay; the first runs without one too.
    for before in ("an earlier response", None) if case_number == 0 else ("an earlier response",):
        if os.path.exists(response):
            os.unlink(response)
        if before is not None:
            with open(response, "w", encoding="ascii") as file:
                file.write(before)
        done = run(path)
        said = done.stderr
        if done.returncode != 1 or said.count("\n") != 1:
            return f"status {done.returncode}, and on stderr: {said}"
        if not said.startswith(f"cavp: {path}:{line}: " if line else f"cavp: {path}: ") or words not in said:
            return f"not the message with '{words}' of line {line}: {said.strip()}"
        after = None
        if os.path.exists(response):
            with open(response, encoding="ascii") as file:
                after = file.read()
        if after != before:
            return "a response was written"
    if [entry for entry in os.listdir(scratch) if entry.startswith(".cavp")]:
        return "a part of a response is left"
    return None


try:
    requests = [path for path in sorted(glob.glob(os.path.join(FIXTURES, "*", "*.*")))
                if path.endswith((".req", ".sam")) and family(os.path.basename(path)) in families]
    if not requests:
        failures.append("no fixture is of this build's ciphers")
    else:
        failures += answered(requests)
    bad = [case for case in BAD if family(case[0]) in families]
    failures += [f"{case[0]}, bad: {wrong}" for i, case in enumerate(bad) if (wrong := refused(i, *case))]
finally:
    shutil.rmtree(scratch)
print(f"cavp: {len(requests)} published requests, {len(bad)} bad ones, {len(failures)} failures")
sys.exit("\n".join(failures) or None)
