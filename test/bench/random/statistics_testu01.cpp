// A battery of TestU01 over the random bytes on stdin. Prints one JSON object. The library is not
// free software in Debian's sense, so this program is built by statistics.sh alone, out of unpacked
// packages.
//
// usage: statistics_testu01 SmallCrush|Crush/PART/OF|Alphabit|Rabbit BITS
// SmallCrush and Crush take what they take. Crush/0/8: its tests 8, 16, 24, ..., in ten minutes.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <testu01/unif01.h>
}

namespace {

// TestU01's authors call a p-value this far out a clear failure; one outside of [0.001, 0.999] they
// only remark on.
constexpr double kFailed = 1e-10;
constexpr double kRemarked = 1e-3;

std::uint32_t g_words[1 << 16];
std::size_t g_left = 0;
std::uint64_t g_bytes = 0;

unsigned int next_word() {
  constexpr std::size_t kWords = sizeof g_words / sizeof g_words[0];
  if (g_left == 0) {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(g_words);
    for (std::size_t at = 0; at < sizeof g_words;) {
      const ssize_t got = read(STDIN_FILENO, bytes + at, sizeof g_words - at);
      if (got <= 0) {
        std::fprintf(stderr, "statistics_testu01: not enough data\n");
        std::exit(1);
      }
      at += static_cast<std::size_t>(got);
    }
    g_bytes += sizeof g_words;
    g_left = kWords;
  }
  return g_words[kWords - g_left--];
}

// The tests of Crush whose numbers are `part` modulo `of`.
bool run_crush(unif01_Gen* generator, int part, int of) {
  constexpr int kTests = 96;
  int repeats[kTests + 1] = {};
  if (of <= 0 || part < 0 || part >= of) return false;
  for (int i = 1; i <= kTests; ++i) repeats[i] = i % of == part ? 1 : 0;
  bbattery_RepeatCrush(generator, repeats);
  return true;
}

bool run(const char* battery, unif01_Gen* generator, double bits) {
  int part = 0;
  int of = 0;
  if (std::sscanf(battery, "Crush/%d/%d", &part, &of) == 2) return run_crush(generator, part, of);
  if (std::strcmp(battery, "SmallCrush") == 0) {
    bbattery_SmallCrush(generator);
  } else if (std::strcmp(battery, "Alphabit") == 0) {
    bbattery_Alphabit(generator, bits, 0, 32);
  } else if (std::strcmp(battery, "Rabbit") == 0) {
    bbattery_Rabbit(generator, bits);
  } else {
    return false;
  }
  return true;
}

void report() {
  int made = 0;
  int remarked = 0;
  int failed = 0;
  std::printf("{\"p\": {");
  for (int i = 0; i < bbattery_NTests; ++i) {
    const double p = bbattery_pVal[i];
    if (p < 0) continue;  // not made
    const double far = p < 1 - p ? p : 1 - p;
    failed += far < kFailed;
    remarked += far >= kFailed && far < kRemarked;
    std::printf("%s\"%d %s\": %.3g", made++ == 0 ? "" : ", ", i, bbattery_TestNames[i], p);
  }
  std::printf("}, \"made\": %d, \"remarked\": %d, \"failed\": %d, \"mib\": %llu}\n", made, remarked,
              failed, static_cast<unsigned long long>(g_bytes >> 20));
}

}  // namespace

int main(int argc, char** argv) {
  const double bits = argc == 3 ? std::atof(argv[2]) : 0;
  if (bits < 1e6) return 2;
  // The library writes its summaries to stdout, which is ours.
  const int out = dup(STDOUT_FILENO);
  if (std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  swrite_Basic = FALSE;
  char name[] = "stdin";
  unif01_Gen* const generator = unif01_CreateExternGenBits(name, next_word);
  if (!run(argv[1], generator, bits)) return 2;
  unif01_DeleteExternGenBits(generator);
  std::fflush(stdout);
  dup2(out, STDOUT_FILENO);
  report();
}
