// GHASH by PCLMULQDQ and VPCLMULQDQ, in the widest vectors of the file's instruction set. Bound:
// one PCLMULQDQ every two cycles, three for a vector of blocks and two for a reduction of eight.
#ifndef GPUCTR_KERNELS_CPU_X86_GHASH_H
#define GPUCTR_KERNELS_CPU_X86_GHASH_H

#include "kernels/cpu/x86/ghash_vectors.h"
#include "kernels/cpu/x86/wipe.h"

namespace gpuctr {
namespace {

using namespace simd::clmul;
using simd::load;
using simd::store;

#if defined(__AVX512F__)
using Widest = Hash<64>;
#elif defined(__VPCLMULQDQ__)
using Widest = Hash<32>;
#else
using Widest = Hash<16>;
#endif
using Vector = Widest::V;
constexpr unsigned kPowers = Widest::kTogether;

template <class V>
GPUCTR_INLINE void store_powers(std::uint8_t* to, V powers) {
  store(to, powers);
  store(to + kSums, sum_of_halves(powers));
}

// The form of a factor of GHASH's product that product() takes.
GPUCTR_INLINE Block times_x(Block h) {
  const Block carries = h >> 63;
  return (h << 1) ^ __builtin_shufflevector(carries, Block{}, 2, 0) ^
         ((Block{} - __builtin_shufflevector(carries, carries, 1, 1)) &
          Block{1, 0xc200000000000000});
}

// The highest power comes first, so the powers for any number of remaining blocks are at the end.
__attribute__((noinline)) void make_first_power(const std::uint8_t* bytes, GhashKey* key) {
  store_powers(key->bytes + kSums - sizeof(Block), times_x(reverse(load<Block>(bytes))));
}

// From one power to those of a vector.
GPUCTR_INLINE void make_first_vector(std::uint8_t* end) {
  const Block first = load<Block>(end - sizeof(Block));
  const Block second = product(first, first);
  store_powers(end - 2 * sizeof(Block), second);
  if (Widest::kPerVector == 2) return;
  store_powers(end - 3 * sizeof(Block), product(second, first));
  store_powers(end - 4 * sizeof(Block), product(second, second));
}

// The products of all powers so far by the highest are as many powers more, which do not wait for
// each other.
__attribute__((noinline)) unsigned make_powers(GhashKey* key, std::size_t have,
                                               std::size_t blocks) {
  std::uint8_t* const end = key->bytes + kSums;
  if (Widest::kPerVector > 1 && have == 1 && blocks > 1) {
    make_first_vector(end);
    have = Widest::kPerVector;
  }
  const std::size_t most = blocks < kPowers ? blocks : kPowers;
  while (have < most) {
    const Vector step = in_all_lanes<Vector>(load<Block>(end - sizeof(Block) * have));
    const std::uint8_t* from = end;
    std::uint8_t* to = end - sizeof(Block) * have;
    for (std::size_t left = have; left != 0 && have < most; left -= Widest::kPerVector) {
      from -= sizeof(Vector);
      to -= sizeof(Vector);
      store_powers(to, product(load<Vector>(from), step));
      have += Widest::kPerVector;
    }
  }
  return static_cast<unsigned>(have);
}

// Fewer blocks than a vector's, one at a time: a CPU waits when a load covers more bytes than the
// store before it, and such blocks were often stored just before.
template <class H>
GPUCTR_INLINE Block hash_few(const std::uint8_t* powers, Block y, const std::uint8_t* in,
                             std::size_t blocks) {
  Products<Block> sum;
  for (; blocks != 0; --blocks, in += sizeof(Block), powers += sizeof(Block)) {
    sum.add(H::ordered(load<Block>(in)) ^ y, powers);
    y = Block{};
  }
  return sum.reduced();
}

// Fewer blocks than share a reduction, with an equal number of powers.
template <class H>
GPUCTR_INLINE Block hash_rest(const std::uint8_t* powers, Block y, const std::uint8_t* in,
                              std::size_t blocks) {
  Products<Vector> sum;
  Vector first = in_first_lane<Vector>(y);
  for (; blocks >= H::kPerVector; blocks -= H::kPerVector) {
    sum.add(H::ordered(load<Vector>(in)) ^ first, powers);
    first = Vector{};
    in += sizeof(Vector);
    powers += sizeof(Vector);
  }
  if (H::kPerVector > 1 && blocks != 0) {
    sum.add(H::ordered(load_lanes<Vector>(in, blocks)) ^ first, load_lanes<Vector>(powers, blocks),
            load_lanes<Vector>(powers + kSums, blocks));
  }
  return add_lanes(sum.reduced());
}

// Not inlined, so that its frame lies where wipe_frame() wipes.
template <class H>
__attribute__((noinline)) void hash_blocks(const GhashKey& key, std::uint8_t* bytes,
                                           const std::uint8_t* in, std::size_t blocks) {
  constexpr std::size_t kTogether = H::kTogether;
  Block y = H::load_block(bytes);
  for (; blocks >= kTogether; blocks -= kTogether, in += 16 * kTogether) {
    y = H::hash_together(H::powers(key), y, in);
  }
  if (blocks >= H::kPerVector) {
    y = hash_rest<H>(H::powers(key, blocks), y, in, blocks);
  } else if (blocks != 0) {
    y = hash_few<H>(H::powers(key, blocks), y, in, blocks);
  }
  H::store_block(bytes, y);
}

__attribute__((noinline)) void multiply_all(std::uint8_t (*elements)[16],
                                            const GhashProduct* products, std::size_t count) {
  for (; count != 0; --count, ++products) {
    const Block a = reverse(load<Block>(elements[products->a]));
    const Block b = times_x(reverse(load<Block>(elements[products->b])));
    store(elements[products->to], reverse(product(a, b)));
  }
}

// A frame, and seven words: the return address and saved registers.
GPUCTR_INLINE void wipe_frame() {
  simd::wipe_below<(sizeof(Vector) == 64 ? kGhashFrame64 : kGhashFrame) + 64>();
}

void begin(const std::uint8_t* h, GhashKey* key) {
  make_first_power(h, key);
  wipe_frame();
  simd::wipe_vector_registers();
}

unsigned grow(GhashKey* key, unsigned have, std::size_t blocks) {
  const unsigned made = make_powers(key, have, blocks);
  wipe_frame();
  simd::wipe_vector_registers();
  return made;
}

void expand(const std::uint8_t* h, GhashKey* key) {
  make_first_power(h, key);
  grow(key, 1, kPowers);
}

// One block, as the lengths that end a message. Its frame has saved registers at most.
GPUCTR_NOINLINE void hash_one(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in) {
  using H = Hash<16>;
  H::store_block(y, hash_few<H>(H::powers(key, 1), H::load_block(y), in, 1));
}

// Not inlined: the proof of GHASH's forms calls it for one block too.
GPUCTR_NOINLINE void update_any(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in,
                                std::size_t blocks) {
  hash_blocks<Widest>(key, y, in, blocks);
  wipe_frame();
  simd::wipe_vector_registers();
}
void update(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks) {
  if (blocks != 1) return update_any(key, y, in, blocks);
  hash_one(key, y, in);
  simd::wipe_below<64>();
  simd::wipe_vector_registers();
}

void polyval(const GhashKey& key, std::uint8_t* y, const std::uint8_t* in, std::size_t blocks) {
  hash_blocks<Hash<sizeof(Vector), true>>(key, y, in, blocks);
  wipe_frame();
  simd::wipe_vector_registers();
}

void multiply(std::uint8_t (*elements)[16], const GhashProduct* products, std::size_t count) {
  multiply_all(elements, products, count);
  wipe_frame();
  simd::wipe_vector_registers();
}

// times_x() in each lane.
template <std::size_t... I>
GPUCTR_INLINE Vector times_x(Vector h, std::index_sequence<I...>) {
  const Vector carries = h >> 63;
  const Vector moved =
      __builtin_shufflevector(carries, Vector{}, (I % 2 == 0 ? sizeof...(I) : I - 1)...);
  const Vector top = Vector{} - __builtin_shufflevector(carries, carries, (I | 1)...);
  return (h << 1) ^ moved ^ (top & in_all_lanes<Vector>(Block{1, 0xc200000000000000}));
}

void expand_rows(const std::uint8_t* h, std::size_t count, std::uint8_t* table) {
  __builtin_memcpy(table, &count, sizeof count);
  for (std::size_t at = 0; at != 16 * count; at += sizeof(Vector)) {
    const Vector key =
        times_x(reverse(load<Vector>(h + at)), std::make_index_sequence<sizeof(Vector) / 8>{});
    store(table + 64 + at, key);
    store(table + 64 + 16 * count + at, sum_of_halves(key));
  }
}

void multiply_rows(const std::uint8_t* table, std::uint8_t* rows, std::size_t count) {
  std::size_t elements;
  __builtin_memcpy(&elements, table, sizeof elements);
  for (; count != 0; --count) {
    for (std::size_t at = 64; at != 64 + 16 * elements; at += sizeof(Vector)) {
      Products<Vector> one;
      one.add(reverse(load<Vector>(rows)), load<Vector>(table + at),
              load<Vector>(table + 16 * elements + at));
      store(rows, reverse(one.reduced()));
      rows += sizeof(Vector);
    }
  }
}

}  // namespace
}  // namespace gpuctr

#endif
