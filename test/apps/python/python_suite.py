"""Python's own tests of ssl and hashlib, without what needs a network: a line for each case.

usage: python_suite.py RESULTS; where the "test" package is not installed, exits 77.
"""
import sys
import unittest

try:
    import test.support

    # Neither the network nor a download; the test modules ask when they are imported.
    test.support.use_resources = []
    test.support.verbose = 0
    from test import test_hashlib, test_ssl
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


class Results(unittest.TestResult):
    """Keeps one word for each case; a failed subtest fails its case."""

    def __init__(self):
        super().__init__()
        self.lines = {}

    def startTest(self, case):
        super().startTest(case)
        self.lines[case.id()] = "ok"

    def set(self, case, word):
        self.lines[case.id()] = word

    def trouble(self, case, error):
        self.set(case, "failed")
        print(case.id(), self._exc_info_to_string(error, case), sep="\n", file=sys.stderr)

    def addFailure(self, case, err):
        self.trouble(case, err)

    def addError(self, case, err):
        self.trouble(case, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.trouble(test, err)

    def addSkip(self, case, reason):
        self.set(case, "skipped: " + reason)

    def addExpectedFailure(self, case, err):
        self.set(case, "expected failure")

    def addUnexpectedSuccess(self, case):
        self.set(case, "unexpected success")


def main():
    results = Results()
    for module in (test_hashlib, test_ssl):
        unittest.defaultTestLoader.loadTestsFromModule(module).run(results)
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for name, word in sorted(results.lines.items()):
            print(name, word, file=out)


main()
