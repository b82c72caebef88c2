// The memory of a context. One allocation holds the object and, behind the object, the round keys
// and the mode's further bytes. The cipher determines both sizes: most ciphers need a few hundred
// of RoundKeys' thousands of bytes.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CONTEXT_MEMORY_H
#define GPUCTR_PROVIDER_MODE_BASE_CONTEXT_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "kernels/cipher/registry.h"

namespace gpuctr {

// The memory behind a context. Both parts have the alignment of RoundKeys. make_context() does not
// initialize this memory, and free() does not wipe it.
struct ContextMemory {
  RoundKeys* keys;     // exactly CipherSpec::round_key_bytes bytes
  std::uint8_t* more;  // Context::memory_bytes() bytes
};

constexpr std::size_t kMemoryUnit = alignof(RoundKeys);
constexpr std::size_t whole_units(std::size_t bytes) {
  return (bytes + kMemoryUnit - 1) & ~(kMemoryUnit - 1);
}

// Returns a new Context of this cipher; the constructor gets `from`. `delete` frees the context.
// nullptr: no memory, and nothing on the error queue. malloc() aligns less than round keys need, so
// padding aligns them. An aligned allocation takes longer and does not come from the C library's
// per-thread cache.
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
