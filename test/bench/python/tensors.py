"""usage: tensors.py [--device cpu | cuda] [--json FILE] [--quick] [--seconds OF-EACH]

Random tensors of gpuctr's stream generators beside torch's own generator, and torchcsprng's where it is installed, and
tensors that are sealed and opened, by type and size. Prints a table of GB/s (medians) and writes the same numbers as
JSON. torch is needed; on a device, a module with CUDA too. GPUCTR_MODULE and GPUCTR_LIBCRYPTO choose the module and
libcrypto.
"""

import argparse
import json
import statistics
import time

import torch

import gpuctr

try:  # AES-128 for torch, no longer maintained: github.com/pytorch/csprng
    import torchcsprng
except ImportError:
    torchcsprng = None

SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 26, 1 << 30, 8 << 30)
STREAMS = ("LEA-128-STREAM", "LEA-256-STREAM", "AES-128-STREAM", "AES-256-STREAM")
CIPHERS = ("LEA-128-CTR", "LEA-256-GCM", "AES-128-CTR", "AES-256-GCM")
DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "float16": torch.float16,
          "int64": torch.int64, "uint8": torch.uint8}


def median(work, device, least_seconds):
    """The median of the times of work(), which has ended when the device is idle."""
    def once():
        begin = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - begin

    once()
    times, begin = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begin < least_seconds and len(times) < 200):
        times.append(once())
    return statistics.median(times)


def generators(kind, tensor, provider):
    """Names and functions that fill the tensor."""
    if kind == "bytes":
        yield "torch", lambda: tensor.view(torch.int64).random_()
    elif kind == "normal":
        yield "torch", lambda: tensor.normal_(0, 1)
    elif kind == "uniform":
        yield "torch", lambda: tensor.uniform_(0, 1)
    elif kind == "integers":
        yield "torch", lambda: tensor.random_(0, 1000)
    else:
        yield "torch", lambda: tensor.bernoulli_(0.3)
    if torchcsprng is not None and kind in ("bytes", "normal", "uniform") and "float16" not in str(tensor.dtype):
        peer = torchcsprng.create_random_device_generator()
        yield "torchcsprng", {"bytes": lambda: tensor.view(torch.int64).random_(generator=peer),
                              "normal": lambda: tensor.normal_(0, 1, generator=peer),
                              "uniform": lambda: tensor.uniform_(0, 1, generator=peer)}[kind]
    names = STREAMS + (("LEA-256-CTR-DRBG", "AES-256-CTR-DRBG") if kind == "bytes" else ())
    for name in names:
        generator = gpuctr.Generator(name, provider=provider)
        yield name, {"bytes": lambda g=generator: g.fill(tensor), "normal": lambda g=generator: g.normal_(tensor),
                     "uniform": lambda g=generator: g.uniform_(tensor),
                     "integers": lambda g=generator: g.integers_(tensor, 0, 1000),
                     "bernoulli": lambda g=generator: g.bernoulli_(tensor, 0.3)}[kind]


CASES = (("bytes", "uint8"), ("normal", "float32"), ("normal", "bfloat16"), ("normal", "float16"),
         ("normal", "float64"), ("uniform", "float32"), ("uniform", "bfloat16"), ("uniform", "float64"),
         ("integers", "int64"), ("bernoulli", "uint8"))


def random_rows(device, sizes, seconds, provider):
    for kind, dtype in CASES:
        for size in sizes:
            tensor = torch.empty(size // DTYPES[dtype].itemsize, dtype=DTYPES[dtype], device=device)
            row = {"what": kind, "type": dtype, "bytes": size}
            for name, fill in generators(kind, tensor, provider):
                if name != "torchcsprng" or size <= 1 << 30:  # some GB/s
                    row[name] = size / median(fill, device, seconds) / 1e9
            yield row


def sealed_rows(device, sizes, seconds, provider):
    for name in CIPHERS:
        for size in sizes:
            tensor = torch.zeros(size, dtype=torch.uint8, device=device)
            key = bytes(range(32 if "256" in name else 16))
            with gpuctr.Cipher(name, key, provider=provider) as cipher:
                def seal(c=cipher):
                    return c.seal_into(bytes(12), tensor) if c.is_aead else c.encrypt_into(bytes(16), tensor)

                rate = size / median(seal, device, seconds) / 1e9
                yield {"what": name, "type": "sealed", "bytes": size, "gpuctr": rate}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    words.add_argument("--json")
    words.add_argument("--quick", action="store_true", help="three sizes")
    words.add_argument("--seconds", type=float, help="of each measurement: 0.5, or 0.1 with --quick")
    given = words.parse_args()
    sizes = SIZES if not given.quick else (1 << 16, 1 << 26, 1 << 30)
    if given.device == "cpu":
        sizes = [size for size in sizes if size <= 1 << 26]
        torch.set_num_threads(1)
    provider = gpuctr.Provider(gpu="off", threads=1) if given.device == "cpu" else gpuctr.default_provider()
    seconds = given.seconds or (0.1 if given.quick else 0.5)
    where = torch.cuda.get_device_name() if given.device == "cuda" else "one thread of the CPU"
    print(f"GB/s, torch {torch.__version__}, {where}")
    rows = []
    for maker in (random_rows, sealed_rows):
        for row in maker(given.device, sizes, seconds, provider):
            rows.append(row)
            rates = "  ".join(f"{name} {rate:.3g}" for name, rate in row.items() if isinstance(rate, float))
            print(f"{row['what']:<12} {row['type']:<9} {row['bytes']:>11}  {rates}", flush=True)
    if given.json:
        with open(given.json, "w", encoding="ascii") as file:
            json.dump({"device": where, "torch": torch.__version__, "unit": "GB/s", "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
