// GHASH in integers, on any CPU: ghash_element.h.
#ifndef GPUCTR_KERNELS_CPU_SCALAR_GHASH_H
#define GPUCTR_KERNELS_CPU_SCALAR_GHASH_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/base/ghash_ops.h"
#include "kernels/cpu/scalar/ghash_element.h"

namespace gpuctr {
namespace {

constexpr unsigned kPowers = 0;

// H x. Not inlined, like the functions below, so that its frame lies where wipe_stack's frame lies
// later.
__attribute__((noinline)) void expand_element(const std::uint8_t* h, GhashKey* key) {
  store_element(key->bytes, times_x(load_element(h)));
}

// Blocks in GCM's order, or in POLYVAL's.
template <Element (&kLoad)(const std::uint8_t*), void (&kStore)(std::uint8_t*, Element)>
__attribute__((noinline)) void hash_blocks(const GhashKey& key, std::uint8_t* y,
                                           const std::uint8_t* in, std::size_t blocks) {
  const Element h = load_element(key.bytes);
  Element sum = kLoad(y);
  for (; blocks != 0; --blocks, in += 16) {
    const Element block = kLoad(in);
    sum = multiply({sum.low ^ block.low, sum.high ^ block.high}, h);
  }
  kStore(y, sum);
}

__attribute__((noinline)) void multiply_all(std::uint8_t (*elements)[16],
                                            const GhashProduct* products, std::size_t count) {
  for (; count != 0; --count, ++products) {
    const Element a = load_element(elements[products->a]);
    store_element(elements[products->to],
                  multiply(a, times_x(load_element(elements[products->b]))));
  }
}

constexpr std::size_t kGhashStackBytes = 640;

void expand(const std::uint8_t* h, GhashKey* key) {
  expand_element(h, key);
  wipe_stack<kGhashStackBytes>();
}

void begin(const std::uint8_t* h, GhashKey* key) { expand(h, key); }

unsigned grow(GhashKey*, unsigned have, std::size_t) { return have; }

void update(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks) {
  hash_blocks<load_element, store_element>(key, y, in, blocks);
  wipe_stack<kGhashStackBytes>();
}

void polyval(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks) {
  hash_blocks<load_reversed, store_reversed>(key, y, in, blocks);
  wipe_stack<kGhashStackBytes>();
}

void multiply(std::uint8_t (*elements)[16], const GhashProduct* products, std::size_t count) {
  multiply_all(elements, products, count);
  wipe_stack<kGhashStackBytes>();
}

void expand_rows(const std::uint8_t* h, std::size_t count, std::uint8_t* table) {
  __builtin_memcpy(table, &count, sizeof count);
  for (std::size_t i = 0; i < count; ++i) {
    store_element(table + 64 + 16 * i, times_x(load_element(h + 16 * i)));
  }
}

void multiply_rows(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
  std::size_t elements;
  __builtin_memcpy(&elements, table, sizeof elements);
  for (; count != 0; --count) {
    for (std::size_t i = 0; i < elements; ++i, rows += 16) {
      store_element(rows, multiply(load_element(rows), load_element(table + 64 + 16 * i)));
    }
  }
}

}  // namespace
}  // namespace gpuctr

#endif
