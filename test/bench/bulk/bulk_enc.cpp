// `openssl enc` from memory to /dev/null: the stream of 4 KiB updates that only read-ahead helps.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "test/bench/bulk/bulk_evp.h"
#include "test/bench/bulk/bulk_sections.h"

extern char** environ;

namespace gpuctr::bench {
namespace {

// A file of zeros in /dev/shm. It is one hole, which reads as zeros and takes no memory.
class HoleFile {
 public:
  explicit HoleFile(std::size_t bytes)
      : path_("/dev/shm/gpuctr-bench-" + std::to_string(getpid())) {
    const int file = open(path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) die("no file in /dev/shm");
    close(file);
  }
  ~HoleFile() { std::filesystem::remove(path_); }
  HoleFile(const HoleFile&) = delete;
  HoleFile& operator=(const HoleFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs the command under a configuration; false when it fails.
bool enc(const std::string& cipher, bool ours, const std::string& config, const std::string& file) {
  const std::string option = "-" + cipher;
  const std::size_t key = cipher == "lea-128-ctr" || cipher.find("128") != std::string::npos ||
                                  cipher.rfind("xor", 0) == 0 || cipher == "hight-ctr" ||
                                  cipher == "seed-ctr"
                              ? 32
                              : 64;
  const std::string hex(key, '7');
  const std::string iv(cipher == "hight-ctr" ? 16 : 32, '1');
  const char* const argv[] = {
      "openssl",          "enc",  option.c_str(), "-K",
      hex.c_str(),        "-iv",  iv.c_str(),     "-in",
      file.c_str(),       "-out", "/dev/null",    ours ? "-propquery" : nullptr,
      "?provider=gpuctr", nullptr};
  const std::string conf = "OPENSSL_CONF=" + config;
  std::vector<char*> environment;
  for (char** e = environ; *e != nullptr; ++e) environment.push_back(*e);
  environment.push_back(const_cast<char*>(conf.c_str()));
  environment.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, "openssl", nullptr, nullptr, const_cast<char**>(argv),
                   environment.data()) != 0) {
    return false;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void bench_enc(const Settings& settings, Report* report) {
  const std::size_t bytes = settings.scaled(std::size_t{settings.cards > 0 ? 8u : 2u} << 30);
  report->section("enc", "openssl enc -in (memory) -out /dev/null, whole run of the program; " +
                             std::string("xor-ready-ctr only XORs ready keystream"));
  const HoleFile file(bytes);
  struct Run {
    std::string cipher, setting, keys;
    bool ours = false;  // where OpenSSL has the cipher too
    double best = 1e9;
  };
  std::vector<Run> runs = {{"xor-ready-ctr", "ceiling", ""},
                           {"xor-hot-ctr", "ceiling, one hot page", ""},
                           {"aes-128-ctr", "OpenSSL", "algorithms = own\n"}};
  for (const char* name : {"lea-128-ctr", "cham-128-128-ctr", "hight-ctr"}) {
    runs.push_back({name, "gpu=off", "gpu = off\n"});
    if (settings.cards > 0) runs.push_back({name, "defaults", ""});
    if (settings.cards > 0) runs.push_back({name, "gpu-threshold=1M", "gpu-threshold = 1M\n"});
  }
  for (const char* name : {"aes-128-ctr", "aria-128-ctr", "camellia-128-ctr", "seed-ctr"}) {
    if (settings.cards > 0) runs.push_back({name, "ours, defaults", "", true});
  }
  // In turns, so that a slow phase of the machine falls on all of them.
  for (int round = 0; round < 3; ++round) {
    for (Run& run : runs) {
      const std::string config = write_config(run.keys, "bulk-enc");
      bool good = true;
      const double t = seconds([&] { good = enc(run.cipher, run.ours, config, file.path()); });
      if (!good) die("openssl enc -" + run.cipher);
      run.best = std::min(run.best, t);
    }
  }
  for (const Run& run : runs) {
    char ratio[48];
    std::snprintf(ratio, sizeof ratio, "%.2f of xor-ready-ctr", runs[0].best / run.best);
    report->row(run.cipher, run.setting, bytes, run.best, "", ratio);
  }
  if (settings.cards == 0) report->row("every cipher", "read-ahead", bytes, 0, "", "no card");
}

}  // namespace gpuctr::bench
