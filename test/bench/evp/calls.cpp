// Every way of calling beside OpenSSL: each cipher in each mode, with a new context, a new key, a
// new IV or none of these, for messages of 1 byte to 16 KiB, on each CPU backend, beside the
// default provider of the libcrypto that this program runs on. Of LEA, HIGHT, CHAM and SEED, which
// OpenSSL lacks, beside its AES-128 in the same mode. `algorithms = faster`
// (provider/config/stock.cpp) rests on it.
#include <openssl/crypto.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "provider/mode/base/mode.h"
#include "test/bench/evp/messages.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr unsigned kRounds = 15;
constexpr double kSampleSeconds = 0.0003;

constexpr int kSizes[] = {1, 16, 64, 256, 1024, 16384};
constexpr std::size_t kSizeCount = std::size(kSizes);
constexpr struct {
  Way way;
  const char* name;
} kWays[] = {{Way::kContext, "new context"},
             {Way::kKey, "new key and IV"},
             {Way::kIv, "new IV"},
             {Way::kUpdate, "update after update"}};
constexpr std::size_t kCells = std::size(kWays) * kSizeCount;

// What `faster` promises not to slow down.
bool is_promised(Way way, int bytes) {
  return (way == Way::kIv && bytes >= 64) || (way == Way::kKey && bytes >= 256);
}

// OpenSSL's time over ours, and over 1.5 of its AES-128's, should be this at least.
constexpr double kGoal = 1, kGoalOfAes = 1 / 1.5;

// One algorithm in one direction, measured by its `who`: OpenSSL, then our backends.
struct Row {
  std::string name;
  std::string peer;  // OpenSSL's algorithm
  bool encrypts;
  std::vector<double> seconds = {};  // kCells of each `who`; 0: the mode has no such call

  bool has_peer() const { return name == peer; }
  std::string shown() const { return name + (encrypts ? "" : " decr."); }
  double ratio(std::size_t who, std::size_t cell) const {
    return seconds[cell] / seconds[who * kCells + cell];
  }
  bool measured(std::size_t cell) const { return seconds[cell] != 0; }
};

class Bench {
 public:
  // Algorithms whose names begin with `only`; only the backend that this CPU gets, or all it has.
  Bench(const std::string& only, bool chosen) {
    const BackendList backends = cpu_backends();
    for (std::size_t b = 0; b < backends.count; ++b) {
      const Backend& backend = *backends.first[b];
      if (chosen ? &backend == &best_backend() : backend.available())
        names_.push_back(backend.name);
    }
    for (const std::string& name : names_) ours_.push_back(std::make_unique<Library>(name));
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      for (const Mode* mode : kModes) {
        if (!mode->takes(cipher_spec(i))) continue;
        const std::string usual = std::string(cipher_spec(i).name) + "-" + mode->name;
        const std::string name = mode->stock_name != nullptr ? mode->stock_name : usual;
        if (name.rfind(only, 0) == 0)
          add(cipher_spec(i), name, std::string("AES-128-") + mode->name);
      }
    }
  }

  void run() {
    // Row by row: what is compared is measured within the same seconds.
    for (Row& row : rows_) {
      std::vector<Job> jobs;
      std::vector<std::size_t> cells;
      add_jobs(theirs_.fetch(row.peer), row.encrypts, 0, &jobs, &cells);
      for (std::size_t b = 0; b < ours_.size(); ++b) {
        add_jobs(ours_[b]->fetch(row.name), row.encrypts, (1 + b) * kCells, &jobs, &cells);
      }
      // The first call of a job must not decide how many a sample has.
      for (const Job& job : jobs) {
        for (int i = 0; i < 3; ++i) job.call();
      }
      time_in_turns(jobs, kRounds, kSampleSeconds);
      row.seconds.resize((1 + names_.size()) * kCells);
      for (std::size_t i = 0; i < jobs.size(); ++i) row.seconds[cells[i]] = jobs[i].best();
    }
  }

  void print() const {
    std::printf("%s\nIts time over ours on %s, by the bytes of a message; !: below the goal\n%-21s",
                OpenSSL_version(OPENSSL_VERSION), names_[0].c_str(), "");
    for (const auto& way : kWays) std::printf("  %-*s", static_cast<int>(7 * kSizeCount), way.name);
    std::printf("\n%-21s", "");
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      std::printf("%s%7d", cell % kSizeCount == 0 ? "  " : "", kSizes[cell % kSizeCount]);
    }
    Count same, aes;
    for (const Row& row : rows_) print_row(row, row.has_peer() ? &same : &aes);
    std::printf(
        "\nBelow the goal: %zu of %zu cells beside OpenSSL's own (1), %zu of %zu beside its "
        "AES-128 (%.2f), where it lacks the cipher\n",
        same.lost, same.cells, aes.lost, aes.cells, kGoalOfAes);
    if (names_.size() > 1) print_backends();
  }

  bool write(const char* path) const {
    std::FILE* const f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{\"openssl\": \"%s\", \"unit\": \"ns a call\", \"calls\": [",
                 OpenSSL_version(OPENSSL_VERSION));
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      std::fprintf(f, "%s\"%s, %d bytes\"", cell == 0 ? "" : ", ", kWays[cell / kSizeCount].name,
                   kSizes[cell % kSizeCount]);
    }
    std::fprintf(f, "], \"results\": [");
    for (const Row& row : rows_) {
      std::fprintf(f, "%s\n  {\"algorithm\": \"%s\"", &row == &rows_.front() ? "" : ",",
                   row.shown().c_str());
      for (std::size_t who = 0; who <= names_.size(); ++who) {
        const std::string peer = row.has_peer() ? "OpenSSL" : "OpenSSL's " + row.peer;
        std::fprintf(f, ", \"%s\": [", who == 0 ? peer.c_str() : names_[who - 1].c_str());
        for (std::size_t cell = 0; cell < kCells; ++cell) {
          std::fprintf(f, "%s", cell == 0 ? "" : ", ");
          if (row.measured(cell)) {
            std::fprintf(f, "%.0f", 1e9 * row.seconds[who * kCells + cell]);
          } else {
            std::fprintf(f, "null");
          }
        }
        std::fprintf(f, "]");
      }
      std::fprintf(f, "}");
    }
    std::fprintf(f, "\n]}\n");
    return std::fclose(f) == 0;
  }

 private:
  bool theirs_has(const std::string& name) const {
    EVP_CIPHER* const found = theirs_.fetch(name);
    EVP_CIPHER_free(found);
    return found != nullptr;
  }

  // Beside OpenSSL's own in both directions, or, of a cipher that it lacks and that is not one of
  // the older ones, beside its AES-128. Not at all in a mode that this OpenSSL lacks: GCM-SIV
  // before 3.2.
  void add(const CipherSpec& spec, const std::string& name, const std::string& aes) {
    if (theirs_has(name)) {
      rows_.push_back({name, name, true});
      rows_.push_back({name, name, false});
    } else if (!spec.legacy && theirs_has(aes)) {
      rows_.push_back({name, aes, true});
    }
  }

  static void add_jobs(EVP_CIPHER* cipher, bool encrypts, std::size_t first, std::vector<Job>* jobs,
                       std::vector<std::size_t>* cells) {
    // A byte of CFB8 takes an encryption, a byte of CFB1 eight: longer messages tell nothing more.
    const std::string name = cipher != nullptr ? EVP_CIPHER_get0_name(cipher) : "";
    const std::string mode = name.substr(name.rfind('-') + 1);
    const int most = mode == "CFB1" ? 256 : mode == "CFB8" ? 1024 : Messages::kBytes;
    const auto messages = std::make_shared<Messages>(cipher, encrypts);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const Way way = kWays[cell / kSizeCount].way;
      const int bytes = kSizes[cell % kSizeCount];
      if (bytes > most || !messages->takes(way, bytes)) continue;
      cells->push_back(first + cell);
      jobs->push_back({[=] { messages->call(way, bytes); }});
    }
  }

  struct Count {
    std::size_t cells = 0, lost = 0;
  };
  static void print_row(const Row& row, Count* count) {
    std::printf("\n%-21s", row.shown().c_str());
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      if (cell % kSizeCount == 0) std::printf("  ");
      if (!row.measured(cell)) {
        std::printf("%6s ", "-");
        continue;
      }
      const double ratio = row.ratio(1, cell);
      const bool below = ratio < (row.has_peer() ? kGoal : kGoalOfAes);
      std::printf("%6.2f%c", ratio, below ? '!' : ' ');
      ++count->cells;
      count->lost += below;
    }
  }

  // The least ratio of what `faster` promises.
  void print_backends() const {
    std::printf(
        "\nThe least on each backend, with a new IV from 64 bytes on and a new key from 256:\n");
    std::printf("%-21s", "");
    for (const std::string& name : names_) std::printf(" %11s", name.c_str());
    for (const Row& row : rows_) {
      if (!row.has_peer()) continue;
      std::printf("\n%-21s", row.shown().c_str());
      for (std::size_t who = 1; who <= names_.size(); ++who) {
        double least = 1e9;
        for (std::size_t cell = 0; cell < kCells; ++cell) {
          if (row.measured(cell) &&
              is_promised(kWays[cell / kSizeCount].way, kSizes[cell % kSizeCount])) {
            least = std::min(least, row.ratio(who, cell));
          }
        }
        std::printf(" %11.2f", least);
      }
    }
    std::printf("\n");
  }

  const Library theirs_{""};
  std::vector<std::string> names_;  // backends, best first
  std::vector<std::unique_ptr<Library>> ours_;
  std::vector<Row> rows_;
};

}  // namespace
}  // namespace gpuctr::bench

// usage: bench_calls [--chosen] [NAME [FILE]]: algorithms whose names begin with NAME, on the
// backend that this CPU gets or on all that it has; readings go to FILE.
int main(int argc, char** argv) {
  const bool chosen = argc > 1 && std::strcmp(argv[1], "--chosen") == 0;
  const char* const* const words = argv + chosen;
  const int count = argc - chosen;
  gpuctr::bench::Bench bench(count > 1 ? words[1] : "", chosen);
  bench.run();
  bench.print();
  return bench.write(count > 2 ? words[2] : "build/bench/calls.json") ? 0 : 1;
}
