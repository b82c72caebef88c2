"""Answers to the records of a request. Sources: NIST's AESAVS, GCMVS, CCMVS, CMACVS, KWVS, XTSVS and DRBGVS; and for the Korean
programme, whose files differ in the names of fields, published ones of ARIA and LEA.
"""
import re

from libcrypto import Cipher, CryptoError, Drbg, cmac
from request import BadFile

KEYS = ("KEY", "Key", "K")
# Which fields a length is about; names of lengths differ in capitals only. In bits, but for NIST's CCM and CMAC.
LENGTHS = {
    "GCM": {"keylen": KEYS, "ivlen": ("IV",), "ptlen": ("PT", "CT", "C"), "aadlen": ("AAD", "Adata"),
            "taglen": ("Tag", "T")},
    "CCM": {"keylen": KEYS, "klen": KEYS, "nlen": ("N", "Nonce"), "alen": ("A", "Adata"), "plen": ("P", "Payload")},
    "CMAC": {"keylen": KEYS, "klen": KEYS, "mlen": ("M", "Msg"), "tlen": ("T", "Mac")},
    "XTS": {"keylen": KEYS, "dataunitlen": ("PT", "CT")},
    "CTR_DRBG": {"entropyinputlen": ("EntropyInput", "EntropyInputReseed", "EntropyInputPR"), "noncelen": ("Nonce",),
                 "personalizationstringlen": ("PersonalizationString",),
                 "additionalinputlen": ("AdditionalInput", "AdditionalInputReseed")},
}

ROUNDS, STEPS = 100, 1000  # of a Monte Carlo test: AESAVS 6.4
PLAIN, SEALED = ("PT", "PLAINTEXT", "Payload", "P"), ("CT", "CIPHERTEXT", "C")


def direction(record):
    """(encrypts, name of the text that is given, name of the one that is asked for)."""
    words = " ".join(record.words).upper()
    plain, sealed = record.line_of(PLAIN), record.line_of(SEALED)
    if "DECRYPT" in words or (sealed is not None and plain is None):
        if sealed is None:
            raise BadFile(record.number, "the record has no ciphertext")
        return False, sealed.name, "PLAINTEXT" if sealed.name == "CIPHERTEXT" else "PT"
    if plain is None:
        raise BadFile(record.number, "the record has no plaintext and no ciphertext")
    return True, plain.name, "CIPHERTEXT" if plain.name == "PLAINTEXT" else "CT"


def is_korean(record):
    """Of the Korean programme, whose files of CCM and CMAC call the key K."""
    return "K" in record.inherited or record.line_of(("K",)) is not None


def check_lengths(mode, record):
    """A field whose length is not the one that the record or a heading says is an error of the field's line."""
    unit = 1 if mode in ("CCM", "CMAC") and not is_korean(record) else 8
    every = list(record.inherited.values()) + record.lines
    # A length of the record itself comes last, and counts.
    said = {line.name.lower(): line for line in every if line.name and "?" not in line.value}
    for length, names in LENGTHS.get(mode, {"keylen": KEYS}).items():
        if length not in said:
            continue
        wanted = record.number_of(said[length].name)
        for line in every:
            if line.name not in names or "?" in line.value:
                continue
            data = record.bytes_of_line(line)
            if len(data) * unit != wanted and not (wanted == 0 and data == b"\0"):  # NIST's text of no bytes
                raise BadFile(line.number, f"{line.name} has {len(data)} bytes, and {said[length].name} of line "
                              f"{said[length].number} is {wanted}{' bits' if unit == 8 else ''}")


def cipher_of(job):
    """EVP's cipher. CFB with segments of a block is its CFB; OpenSSL has other segments of 8 bits and of one only."""
    bits = re.fullmatch(r"CFB(\d+)", job.mode)
    if not bits or bits.group(1) in ("1", "8"):
        return Cipher(job.library, f"{job.cipher}-{job.mode}")
    cipher = Cipher(job.library, f"{job.cipher}-CFB")
    if 8 * cipher.iv_bytes == int(bits.group(1)):
        return cipher
    cipher.close()
    raise CryptoError(f"no CFB of {job.cipher} with segments of {bits.group(1)} bits: its block has "
                      f"{8 * cipher.iv_bytes}")


def text_of(job, record, name):
    """The text and its length. In CFB1 both are of bits, which the files write as digits 0 and 1."""
    if job.mode != "CFB1":
        text = record.octets(name)
        return text, len(text)
    line = record.line_of((name,))
    if not re.fullmatch("[01]+", line.value):
        raise BadFile(line.number, f"{name} is not bits, 0 or 1: {line.value[:40]}")
    return bits_to_bytes(line.value), len(line.value)


def bits_to_bytes(digits):
    padded = digits + "0" * (-len(digits) % 8)
    return bytes(int(padded[i:i + 8], 2) for i in range(0, len(padded), 8))


def shown_text(job, text, length):
    if job.mode != "CFB1":
        return job.request.hexadecimal(text)
    return "".join(f"{byte:08b}" for byte in text)[:length]


def known_answer(job, record):
    encrypts, given, asked = direction(record)
    cipher = cipher_of(job)
    try:
        iv = b"" if job.mode == "ECB" else record.octets("IV", "CTR")
        cipher.start(encrypts, record.octets("KEY", "Key"), iv)
        text, length = text_of(job, record, given)
        out = cipher.update_bits(text, length) if job.mode == "CFB1" else cipher.update(text)
        if out is None or not cipher.final():
            raise CryptoError(f"{cipher.name} does not take {len(text)} bytes")
        return [(asked, shown_text(job, out, length))]
    finally:
        cipher.close()


def monte_carlo(job, record):
    """One chain: a request gives its first round. The cipher's own mode does the chaining of the inner loop."""
    encrypts, given, asked = direction(record)
    cipher = cipher_of(job)
    key = record.octets("KEY", "Key")
    text, length = text_of(job, record, given)
    iv = b"" if job.mode == "ECB" else record.octets("IV", "CTR")
    iv_name = "CTR" if record.has("CTR") else "IV"
    hexadecimal, rounds = job.request.hexadecimal, []
    wanted = {"ECB": cipher.block_bytes, "CFB1": 1, "CFB8": 1}.get(job.mode, cipher.iv_bytes)
    if length != wanted:
        unit = {"CFB1": "bit", "CFB8": "byte"}.get(job.mode, "block")
        raise BadFile(record.number, f"a Monte Carlo test of {cipher.name} begins with one {unit}")
    try:
        for count in range(ROUNDS):
            shown = [("COUNT", str(count)), (record.line_of(("KEY", "Key")).name, hexadecimal(key))]
            if iv:
                shown.append((iv_name, hexadecimal(iv)))
            shown.append((given, shown_text(job, text, length)))
            key, iv, text, last = monte_carlo_round(job.mode, cipher, encrypts, key, iv, text)
            rounds.append(shown + [(asked, shown_text(job, last, length))])
    finally:
        cipher.close()
    return rounds


def monte_carlo_round(mode, cipher, encrypts, key, iv, text):
    """STEPS segments under one key. Gives the next round's key, IV and text, and this one's answer."""
    cipher.start(encrypts, key, iv)
    if mode in ("ECB", "CTR"):
        before, last, given = b"", iv, text
        for _ in range(STEPS):
            before, last = last, cipher.update(given)
            given = last
        if mode == "CTR":  # the counter runs on from round to round
            counter = (int.from_bytes(iv, "big") + STEPS) % (1 << (8 * len(iv)))
            iv = counter.to_bytes(len(iv), "big")
        return xor_end(key, before + last), iv, last, last
    # After the text come the segments of the IV, and then of the output: AESAVS 6.4.2 to 6.4.6.
    if mode == "CFB1":
        segments = [bytes([(byte << i & 0x80)]) for byte in iv for i in range(8)]
    else:
        segments = [iv[i:i + len(text)] for i in range(0, len(iv), len(text))]
    inputs = [text] + segments
    for i in range(STEPS):
        inputs.append(cipher.update_bits(inputs[i], 1) if mode == "CFB1" else cipher.update(inputs[i]))
    made = inputs[1 + len(segments):]
    end = bits_to_bytes("".join("1" if one[0] & 0x80 else "0" for one in made)) if mode == "CFB1" else b"".join(made)
    return xor_end(key, end), end[-len(iv):], made[-1 - len(segments)], made[-1]


def xor_end(key, data):
    return bytes(a ^ b for a, b in zip(key, data[-len(key):]))


def gcm(job, record):
    korean = record.has("Adata") or any(line.name == "T" for line in record.lines)
    sealed, tag_name, refusal = ("C", "T", "Invalid") if korean else ("CT", "Tag", "FAIL")
    key, iv = record.octets("Key", "KEY"), record.octets("IV")
    aad = record.octets("Adata", "AAD", default=b"")
    cipher = Cipher(job.library, f"{job.cipher}-GCM")
    try:
        if record.has(tag_name):
            cipher.start(False, key, iv, tag=record.octets(tag_name))
            cipher.aad(aad)
            out = cipher.update(record.octets(sealed, default=b""))
            if out is None or not cipher.final():
                return [(None, refusal)]
            return [("PT", job.request.hexadecimal(out))]
        tag_bytes = record.number_of("TagLen", "Taglen", "Tlen") // 8
        cipher.start(True, key, iv, tag_bytes=tag_bytes)
        cipher.aad(aad)
        out = cipher.update(record.octets("PT", default=b""))
        if out is None or not cipher.final():
            raise CryptoError(f"{cipher.name} does not take this message")
        return [(sealed, job.request.hexadecimal(out)), (tag_name, job.request.hexadecimal(cipher.tag(tag_bytes)))]
    finally:
        cipher.close()


def cut(data, length):
    """NIST writes 00 for a text of no bytes."""
    return data if length is None else data[:length]


def ccm(job, record):
    """NIST's lengths are bytes, the Korean programme's bits."""
    korean = is_korean(record)
    unit = 8 if korean else 1
    tag_bytes = record.number_of("Tlen") // unit

    def length(name):
        given = record.number_of(name, default=-1)
        return None if given < 0 else given // unit

    key, nonce = record.octets("K", "Key"), record.octets("N", "Nonce")
    aad = cut(record.octets("A", "Adata", default=b""), length("Alen"))
    cipher = Cipher(job.library, f"{job.cipher}-CCM")
    try:
        if record.has("C", "CT"):
            text = record.octets("C", "CT")
            if len(text) < tag_bytes:
                raise BadFile(record.number, f"the ciphertext is shorter than its tag of {tag_bytes} bytes")
            text, tag = text[:len(text) - tag_bytes], text[len(text) - tag_bytes:]
            cipher.start(False, key, nonce, tag=tag, length=len(text))
            cipher.aad(aad)
            out = cipher.update(text)
            if korean:
                return [(None, "INVALID")] if out is None else [("P", job.request.hexadecimal(out))]
            if out is None:
                return [("Result", "Fail")]
            return [("Result", "Pass"), ("Payload", job.request.hexadecimal(out) or "00")]
        text = cut(record.octets("P", "Payload", default=b""), length("Plen"))
        cipher.start(True, key, nonce, tag_bytes=tag_bytes, length=len(text))
        cipher.aad(aad)
        out = cipher.update(text)
        if out is None:
            raise CryptoError(f"{cipher.name} does not take this message")
        return [("C" if korean else "CT", job.request.hexadecimal(out + cipher.tag(tag_bytes)))]
    finally:
        cipher.close()


def cmac_record(job, record):
    """NIST's lengths are bytes, the Korean programme's bits."""
    korean = record.line_of(("K",)) is not None
    unit = 8 if korean else 1
    message = record.octets("M", "Msg")
    if record.number_of("Mlen", default=1) == 0:
        message = b""
    whole = cmac(job.library, f"{job.cipher}-CBC", record.octets("K", "Key"), message)
    tag_bytes = record.number_of("Tlen") // unit
    if not 0 < tag_bytes <= len(whole):
        raise BadFile(record.number, f"Tlen is {tag_bytes} bytes, and a MAC of {job.cipher} has {len(whole)}")
    tag = whole[:tag_bytes]
    name = "T" if korean else "Mac"
    if not record.has(name):
        return [(name, job.request.hexadecimal(tag))]
    equal = record.octets(name) == tag
    if korean:
        return [(None, "VALID" if equal else "INVALID")]
    return [("Result", "P" if equal else "F")]


def xts(job, record):
    """XTSVS 5. The tweak is `i`, or the number of a data unit, whose lowest byte comes first."""
    encrypts, given, asked = direction(record)
    cipher = Cipher(job.library, f"{job.cipher}-XTS")
    try:
        if record.number_of("DataUnitLen", default=0) % 8 != 0:
            raise CryptoError(f"{cipher.name} takes whole bytes")
        number = record.number_of("DataUnitSeqNumber", default=-1)
        tweak = record.octets("i") if number < 0 else number.to_bytes(16, "little")
        cipher.start(encrypts, record.octets("Key", "KEY"), tweak)
        text = record.octets(given)
        out = cipher.update(text)
        if out is None:
            raise CryptoError(f"{cipher.name} does not take {len(text)} bytes")
        return [(asked, job.request.hexadecimal(out))]
    finally:
        cipher.close()


def key_wrap(job, record):
    """KWVS 5 and 6. A record with C is unwrapped. "inv" in the file's name or a heading: the inverse cipher."""
    inverse = "inv" in " ".join([job.stem, *record.words]).lower()
    mode = ("WRAP-PAD" if job.mode == "KWP" else "WRAP") + ("-INV" if inverse else "")
    cipher = Cipher(job.library, f"{job.cipher}-{mode}")
    try:
        wraps = not record.has("C")
        text = record.octets("P" if wraps else "C")
        cipher.start(wraps, record.octets("K"), None)
        out = cipher.update(text)
        if out is None:
            if wraps:
                raise CryptoError(f"{cipher.name} does not take {len(text)} bytes")
            return [(None, "FAIL")]
        return [("C" if wraps else "P", job.request.hexadecimal(out))]
    finally:
        cipher.close()


def ctr_drbg(job, record):
    """DRBGVS 4: Instantiate, Reseed where there is an EntropyInputReseed, two Generates; the second is the answer.
    With prediction resistance each Generate has its EntropyInputPR."""
    length = record.number_of("ReturnedBitsLen") // 8
    generator = Drbg(job.library, f"{job.cipher}-CTR-DRBG", job.use_df(record), record.octets("EntropyInput"),
                     record.octets("Nonce", default=b""), record.octets("PersonalizationString", default=b""))
    try:
        if record.has("EntropyInputReseed"):
            generator.reseed(record.octets("EntropyInputReseed"), record.octets("AdditionalInputReseed", default=b""))
        additional, entropy = record.all_of("AdditionalInput"), record.all_of("EntropyInputPR")
        if len(additional) != 2 or len(entropy) not in (0, 2):
            raise BadFile(record.number, "the record has not two values of AdditionalInput, and of EntropyInputPR "
                          "two or none")
        out = b""
        for i, data in enumerate(additional):
            out = generator.generate(length, data, entropy[i] if entropy else None)
        return [("ReturnedBits", job.request.hexadecimal(out))]
    finally:
        generator.close()
