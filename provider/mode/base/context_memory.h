// The memory of a context: one allocation for the object and, behind it, for what has the size of
// its cipher. Most ciphers need a few hundred bytes of RoundKeys' thousands.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CONTEXT_MEMORY_H
#define GPUCTR_PROVIDER_MODE_BASE_CONTEXT_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "kernels/cipher/registry.h"

namespace gpuctr {

// What a context finds behind it, aligned as RoundKeys. Nothing of it is initialized; freeing wipes
// none of it.
struct ContextMemory {
  RoundKeys* keys;     // CipherSpec::round_key_bytes and no more
  std::uint8_t* more;  // as many bytes as Context::memory_bytes() says
};

constexpr std::size_t kMemoryUnit = alignof(RoundKeys);
constexpr std::size_t whole_units(std::size_t bytes) {
  return (bytes + kMemoryUnit - 1) & ~(kMemoryUnit - 1);
}

// A new Context of this cipher, made of `from`. nullptr: no memory, and nothing on the error queue.
// `delete` frees it. malloc() aligns less than round keys need, but an allocation that aligns more
// takes longer and does not come from the C library's per-thread cache.
template <class Context, class... From>
Context* make_context(const CipherSpec& cipher, const From&... from) {
  static_assert(alignof(Context) <= alignof(std::max_align_t), "as malloc() aligns");
  constexpr std::size_t kMostPadding = kMemoryUnit - alignof(Context);
  const std::size_t key_bytes = cipher.round_key_bytes;
  const std::size_t more_bytes = Context::memory_bytes(cipher);
  const std::size_t behind = more_bytes == 0 ? key_bytes : whole_units(key_bytes) + more_bytes;
  void* const memory = std::malloc(sizeof(Context) + kMostPadding + behind);
  if (memory == nullptr) return nullptr;
  const std::size_t at = whole_units(reinterpret_cast<std::uintptr_t>(memory) + sizeof(Context)) -
                         reinterpret_cast<std::uintptr_t>(memory);
  std::uint8_t* const keys = static_cast<std::uint8_t*>(memory) + at;
  const ContextMemory parts{reinterpret_cast<RoundKeys*>(keys), keys + whole_units(key_bytes)};
  return ::new (memory) Context(parts, from...);
}

}  // namespace gpuctr

#endif
