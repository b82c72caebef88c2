"""Messages a second by size, each with a new key and IV in counter mode, on one core. Of `./run bench calls`: EVP
message by message, ours and OpenSSL's. Of `./run bench batch`: our batches, message by message, and ipsec-mb."""

import chart

CIPHERS = (("AES-128", "ARIA-128", "CAMELLIA-128"), ("HIGHT", "LEA-128", "SEED"))
UNIT, CALL = "million messages/s", "new key and IV, "


def of_calls(data):
    """{(cipher, line): {bytes: million messages/s}}"""
    sizes = {int(call[len(CALL):].split()[0]): i for i, call in enumerate(data["calls"]) if call.startswith(CALL)}
    return {(row["algorithm"].removesuffix("-CTR"), who): {size: 1e3 / row[who][i] for size, i in sizes.items()}
            for row in data["results"] if row["algorithm"].endswith("-CTR") for who in row if who != "algorithm"}


def of_batch(data):
    found = {}
    for row in data["results"]:
        name, keys, size, _ = row["row"].split()
        if name.endswith("-CTR") and keys == "own":
            for who in ("EVP batch", "EVP one by one", "ipsec-mb"):
                if who in row:
                    found.setdefault((name.removesuffix("-CTR"), who), {})[int(size)] = 1e3 / row[who]
    return found


def draw(data, processor):
    if "calls" in data:
        found, what = of_calls(data), "EVP message by message"
        lines = {0: ("OpenSSL", " ".join(data["openssl"].split()[:2])), 1: ("avx512-gfni", "gpuctr, avx512-gfni")}
    else:
        found, what = of_batch(data), "Batches of messages"
        lines = {0: ("EVP one by one", "EVP, message by message"), 1: ("EVP batch", "EVP, batches"),
                 3: ("ipsec-mb", "ipsec-mb")}
    panels = [[(cipher + "-CTR", [(line, found[cipher, who]) for line, (who, _) in lines.items()
                                  if (cipher, who) in found]) for cipher in ciphers] for ciphers in CIPHERS]
    rows = [chart.Row(row, UNIT, "") for row in panels]
    for row in rows:
        row.ticks = chart.Row(sum(panels, []), UNIT, "").ticks  # one scale for all
    return chart.draw(f"{what}, each with a new key and IV: one core, {processor}",
                      {line: name for line, (_, name) in lines.items()}, "message size", rows)
