#include "provider/core/random.h"

#include <unistd.h>

#include <algorithm>

namespace gpuctr {
namespace {

// The most bytes of one call of getentropy().
constexpr std::size_t kPiece = 256;

}  // namespace

bool system_random(std::uint8_t* out, std::size_t n) {
  for (std::size_t done = 0; done < n; done += kPiece) {
    if (getentropy(out + done, std::min(kPiece, n - done)) != 0) return false;
  }
  return true;
}

}  // namespace gpuctr
