// gpuctr-check: reports how OpenSSL reads an openssl.cnf that configures gpuctr. gpuctr-check(1)
// describes the program. It is linked only with libcrypto, so it runs wherever the module runs.
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include <cstdio>
#include <cstring>

#include "provider/check/loaded.h"

namespace gpuctr::check {
namespace {

enum Status { kGood = 0, kFault = 1, kMisuse = 2 };

void print_usage(std::FILE* out) {
  std::fputs(
      "usage: gpuctr-check [FILE]\n\n"
      "Says what OpenSSL makes of FILE, an openssl.cnf: whether gpuctr loads, which provider "
      "serves\n"
      "each name, and what to write instead of what is wrong. Without FILE: that of OPENSSL_CONF, "
      "or\n"
      "OpenSSL's default file.\n\n"
      "Exit status: 0 gpuctr works, 1 there is a fault, 2 misuse.\n",
      out);
}

void print_findings(const Findings& findings, bool faults) {
  for (const Finding& finding : findings.all()) {
    if (finding.fault == faults) {
      std::printf("  %s: %s%s\n", finding.where.c_str(),
                  faults ? "" : "note: ", finding.text.c_str());
    }
  }
}

// Reports why the provider does not load, even if the file does not lead OpenSSL to its section.
void check_loading(const File& file, const Places& places, Findings* findings) {
  if (places.section.empty()) return;
  const char* const module = file.value(places.section, "module");
  if (!module_fault(module_path(places.name, module)).empty()) return;  // reported already
  const std::string fault = load_fault(file, places.name, places.section);
  if (fault.empty()) return;
  // The error's data is "KEY = VALUE: ..." or "KEY: ...". The reason's text precedes it if OpenSSL
  // still has that text.
  const std::string start = "bad configuration value: ";
  const std::string text =
      fault.compare(0, start.size(), start) == 0 ? fault.substr(start.size()) : fault;
  const std::string key = text.substr(0, text.find_first_of(" :"));
  const bool has_key = file.value(places.section, key) != nullptr;
  const std::string where = file.where(places.section, has_key ? key : "");
  // check_section() has already reported a value that names a section.
  for (const Finding& finding : findings->all()) {
    if (has_key && finding.fault && finding.where == where) return;
  }
  findings->fault(where, text);
}

Status check(const std::string& path) {
  File file;
  std::string error;
  if (!file.read(path, &error)) {
    std::printf("gpuctr is not loaded: OpenSSL cannot read its configuration.\n  %s\n",
                error.c_str());
    return kFault;
  }
  Findings findings;
  const Places places = find_places(file, &findings);
  check_section(file, places, &findings);
  check_loading(file, places, &findings);
  check_rest(file, places, &findings);
  const Loaded loaded(file, places, &findings);
  const std::size_t faults = findings.faults();
  if (loaded.ours()) {
    std::printf("gpuctr %s is loaded and serves %zu ciphers", loaded.version().c_str(),
                loaded.served());
    std::printf(faults == 0 ? ".\n" : ", but the file has %zu fault%s:\n", faults,
                faults == 1 ? "" : "s");
  } else {
    std::printf("gpuctr is not loaded:\n");
  }
  print_findings(findings, true);
  print_findings(findings, false);
  if (loaded.ours()) loaded.print();
  return faults == 0 && loaded.ours() ? kGood : kFault;
}

std::string default_path() {
  char* const path = CONF_get1_default_config_file();
  std::string text = path != nullptr ? path : "";
  OPENSSL_free(path);
  return text;
}

}  // namespace
}  // namespace gpuctr::check

int main(int argc, char** argv) {
  using namespace gpuctr::check;
  if (argc == 2 && (std::strcmp(argv[1], "-h") == 0 || std::strcmp(argv[1], "--help") == 0)) {
    print_usage(stdout);
    return kGood;
  }
  if (argc > 2 || (argc == 2 && (argv[1][0] == '-' || argv[1][0] == '\0'))) {
    print_usage(stderr);
    return kMisuse;
  }
  // This program's own use of OpenSSL must not depend on the file.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  const std::string path = argc == 2 ? argv[1] : default_path();
  const Status status = check(path);
  if (std::fflush(stdout) != 0) return kFault;
  return status;
}
