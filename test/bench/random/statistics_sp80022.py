"""The tests of NIST SP 800-22 over sequences of 2^20 bits from stdin, by the package sp80022suite
(NIST's own C code as a Python extension), judged as section 4.2 of the document has it.

usage: statistics_sp80022.py MIB; prints one JSON object.

Of each test: how many sequences have p < 0.01, and how likely so many are by chance; and whether
the p-values are spread evenly (chi-square over ten bins). Where the package gives the least of k
p-values, k times that is taken, and their spread is not judged. The package lacks the templates of
the non-overlapping template test, so that one is left out. The tests that cost most are made on
every eighth or every 32nd sequence.
"""
import json
import math
import multiprocessing
import sys

import sp80022suite as suite

BYTES = 1 << 17
ALPHA = 0.01
FAILED = 1e-6
BITS = [bytes(b >> (7 - i) & 1 for i in range(8)) for b in range(256)]

# Name, function of the bits, p-values of which it gives the least, and one of how many sequences.
TESTS = [
    ("frequency", suite.frequency, 1, 1),
    ("block frequency", lambda bits: suite.block_frequency(128, bits), 1, 1),
    ("runs", suite.runs, 1, 1),
    ("longest run of ones", suite.longest_run_of_ones, 1, 1),
    ("matrix rank", suite.rank, 1, 1),
    ("overlapping template", lambda bits: suite.overlapping_template_matchings(9, bits), 1, 1),
    ("universal", suite.universal, 1, 1),
    ("cumulative sums", suite.cumulative_sums, 2, 1),
    ("random excursions", suite.random_excursions, 8, 1),
    ("random excursions variant", suite.random_excursions_variant, 18, 1),
    ("spectral", suite.discrete_fourier_transform, 1, 8),
    ("approximate entropy", lambda bits: suite.approximate_entropy(10, bits), 1, 32),
    ("serial", lambda bits: suite.serial(16, bits), 2, 32),
    ("linear complexity", lambda bits: suite.linear_complexity(500, bits), 1, 32),
]


def sequences(mib):
    for number in range(mib * (1 << 20) // BYTES):
        data = sys.stdin.buffer.read(BYTES)
        if len(data) != BYTES:
            sys.exit("not enough data")
        yield number, data


def judge(task):
    """The p-values of one sequence; None where a test does not apply."""
    number, data = task
    bits = b"".join(BITS[b] for b in data)
    out = []
    for _, test, least_of, one_of in TESTS:
        try:
            out.append(min(1.0, least_of * test(bits)) if number % one_of == 0 else None)
        except ValueError:  # too few cycles for the excursions
            out.append(None)
    return out


def upper_tail(n, k, p):
    """The chance of k or more out of n."""
    log = lambda i: (  # noqa: E731
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
        + i * math.log(p) + (n - i) * math.log1p(-p)
    )
    return min(1.0, math.fsum(math.exp(log(i)) for i in range(k, n + 1)))


def evenness(values):
    """The p-value of a chi-square over ten bins: igamc(9/2, chi2/2), in closed form."""
    expected = len(values) / 10
    bins = [0] * 10
    for value in values:
        bins[min(9, int(10 * value))] += 1
    half = sum((b - expected) ** 2 / expected for b in bins) / 2
    total = math.erfc(math.sqrt(half))
    for j in range(4):
        total += math.exp((j + 0.5) * math.log(half) - half - math.lgamma(j + 1.5)) if half else 0
    return min(1.0, total)


def main():
    columns = [[] for _ in TESTS]
    mib = int(sys.argv[1])
    with multiprocessing.Pool() as pool:
        for row in pool.imap(judge, sequences(mib), chunksize=8):
            for column, value in zip(columns, row):
                if value is not None:
                    column.append(value)
    results = {}
    failed = 0
    for (name, _, least_of, _), column in zip(TESTS, columns):
        low = sum(value < ALPHA for value in column)
        chance = upper_tail(len(column), low, ALPHA) if column else 1.0
        even = evenness(column) if least_of == 1 and len(column) >= 100 else None
        bad = chance < FAILED or (even is not None and even < FAILED)
        failed += bad
        results[name] = {"sequences": len(column), "below 0.01": low, "chance": chance,
                         "evenness": even, "failed": bad}
    print(json.dumps({"mib": mib, "failed": failed, "tests": results}))


main()
