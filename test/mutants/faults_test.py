"""What faults.py makes of lines of code, and what it leaves alone."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from faults import faults_of, faults_of_text  # noqa: E402


class Faults(unittest.TestCase):
    def test_operators_numbers_and_words(self):
        found = faults_of("  if (n < 16 && !full) return true;", "{")
        for fault in ("if (n <= 16 && !full) return true;", "if (n < 17 && !full) return true;",
                      "if (n < 16 || !full) return true;", "if (n < 16 && full) return true;",
                      "if (n < 16 && !full) return false;", "if (false && (n < 16 && !full)) return true;",
                      "if (true || (n < 16 && !full)) return true;"):
            self.assertIn("  " + fault, found)

    def test_statements_left_out(self):
        self.assertIn("  ;", faults_of("  wipe(key, sizeof key);", "  f();"))
        self.assertIn("  ;", faults_of("  state_ = kReady;", "{"))
        self.assertIn("  return {};", faults_of("  return report(status);", "{"))
        # The end of a call, a declaration.
        self.assertNotIn("      ;", faults_of("      other(b));", "  call(a,"))
        self.assertNotIn("  ;", faults_of("  int n = f();", "{"))

    def test_what_is_no_code(self):
        for line in ("// n < 16", "#include <a>", '  raise("a < b && c");', "template <class T>", "}", ""):
            self.assertFalse([f for f in faults_of(line, "x,")], line)
        self.assertEqual([], faults_of("std::vector<Word> words;", "x,"))

    def test_numbers_of_lines(self):
        self.assertEqual([3], sorted(faults_of_text("int f() {\n  // n == 1\n  return n == 1;\n}\n")))


unittest.main()
