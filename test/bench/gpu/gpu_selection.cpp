#include "test/bench/gpu/gpu_selection.h"

#include <algorithm>
#include <cstdio>

#include "kernels/cipher/registry.h"

namespace gpuctr::bench {
namespace {

constexpr const char* kParts[] = {"ciphers", "documents", "generators", "hashes", "messages"};

bool among(const std::vector<std::string>& list, const char* name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool add(const std::string& argument, Selection* selection) {
  if (std::find(std::begin(kParts), std::end(kParts), argument) != std::end(kParts)) {
    selection->parts.push_back(argument);
    return true;
  }
  const std::size_t before = selection->names.size();
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& cipher = cipher_spec(i);
    if (argument == cipher.name || (argument == "older" && cipher.legacy))
      selection->names.push_back(cipher.name);
  }
  return selection->names.size() != before;
}

}  // namespace

bool Selection::has(const char* part) const { return among(parts, part); }

bool Selection::wants(const char* cipher) const { return names.empty() || among(names, cipher); }

bool select(int argc, char** argv, Selection* selection) {
  for (int i = 1; i < argc; ++i) {
    if (add(argv[i], selection)) continue;
    std::fprintf(
        stderr,
        "bench_gpu [ciphers] [documents] [generators] [hashes] [messages] [older] [CIPHER...]: "
        "'%s' is none of these\n",
        argv[i]);
    return false;
  }
  if (selection->parts.empty()) {
    selection->parts.assign(std::begin(kParts), std::end(kParts));
    if (!selection->names.empty()) selection->parts.resize(2);
  }
  return true;
}

}  // namespace gpuctr::bench
