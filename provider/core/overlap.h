// Whether two pieces of memory share a byte.
#ifndef GPUCTR_PROVIDER_CORE_OVERLAP_H
#define GPUCTR_PROVIDER_CORE_OVERLAP_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

inline bool overlap(const std::uint8_t* a, std::size_t a_bytes, const std::uint8_t* b,
                    std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a);
  const auto y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

// in == out and no overlap are allowed. Any other overlap would overwrite input before its use.
inline bool overlaps_partly(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  return out != in && overlap(out, n, in, n);
}

}  // namespace gpuctr

#endif
