// usage: trust_memcheck_planted uninitialised | leak | nothing
// What memcheck has to see with the options that the suite gives it: a round key that decides a
// branch before it was written, and a context nobody frees.
#include <cstdio>
#include <cstring>
#include <memory>

#include "kernels/cipher/registry.h"

namespace gpuctr {
namespace {

RoundKeys* volatile g_kept = nullptr;

int run(const char* what) {
  auto keys = std::make_unique<RoundKeys>();
  if (std::strcmp(what, "uninitialised") == 0) {
    std::unique_ptr<std::uint8_t[]> key(new std::uint8_t[kMaxKeyBytes]);
    find_cipher("LEA-128")->expand(key.get(), keys.get());
    if (keys->bytes[0] == 1) std::puts("one");
  } else if (std::strcmp(what, "leak") == 0) {
    g_kept = keys.release();
    g_kept = nullptr;
  }
  return 0;
}

}  // namespace
}  // namespace gpuctr

int main(int count, char** arguments) { return count == 2 ? gpuctr::run(arguments[1]) : 2; }
