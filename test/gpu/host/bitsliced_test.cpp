// The kernels of DES without a device (kernel/bitsliced/bits.cuh and the tiles of
// kernel/bitsliced/ctr.cuh): masks on the state, transpositions, counters, ends of any length
// at any address. A thread is a lane.
#define GPUCTR_TEST_ON_THE_CPU
#include <algorithm>
#include <vector>

#include "test/gpu/host/warp.h"

#include <vector_functions.h>

// What the tile kernel, which is not called here, asks beside.
static struct { unsigned x; } threadIdx, blockIdx, blockDim;
static inline void __syncthreads() {}
static inline unsigned atomicAdd(unsigned* at, unsigned by) { return *at += by; }
static inline unsigned __shfl_sync(unsigned, unsigned x, int) { return x; }
// Signs, then masks, as the kernels lay them out in shared memory.
static std::vector<std::uint32_t> g_shared;
static inline const std::uint8_t* test_shared_memory() {
  return reinterpret_cast<const std::uint8_t*>(g_shared.data());
}

#include "kernels/cipher/des/cuda_bit_sliced.h"
#include "kernels/gpu/cuda/kernel/bitsliced/bits.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/ctr.cuh"
#include "test/gpu/support.h"

namespace gpuctr {

template <>
struct BitslicedRounds<DesBitSliced> {
  static constexpr unsigned kStaticBits = 0;
  static constexpr unsigned kLaneBlocks = 32;
  static constexpr bool kSignsInShared = true;
};

namespace {

using namespace test;

template <class C>
class BitslicedForm : public testing::Test {
 protected:
  static constexpr std::size_t kGuard = 32;
  static constexpr std::size_t kSpace = 3 * kBitslicedUnitBytes + 2 * kGuard + 16;

  // Calls run(keys, passes), with masks in one of the two forms.
  template <class Run>
  void with_keys(bool encrypt, bool as_bits, const Run& run) const {
    alignas(16) std::uint32_t words[(DesBitSliced::kRoundKeyWords + 3) / 4] = {};
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words);
    DesBitSliced::lay_out<C>(key_.keys.template words<std::uint8_t>(), encrypt, bytes);
    if (as_bits) {
      run(PackedBitKeys{words}, bytes[DesBitSliced::kPasses]);
      return;
    }
    g_shared.assign(2 * DesBitSliced::kMaskBits, 0);
    for (unsigned i = 0; i < DesBitSliced::kMaskBits; ++i) {
      const std::uint32_t mask = spread(words[i / 32], i % 32);
      g_shared[i] = mask | 1u;
      g_shared[DesBitSliced::kMaskBits + i] = mask;
    }
    run(SharedBitKeys{0, 4 * DesBitSliced::kMaskBits}, bytes[DesBitSliced::kPasses]);
  }

  // As des/cuda.cu has it. `sent`: the block before the first comes with the span.
  void blocks(bool encrypt, bool chained, std::size_t count, std::size_t in_skew,
              std::size_t out_skew, bool sent, bool in_place = false) {
    const std::size_t n = 8 * count;
    ASSERT_LE(n + 2 * kGuard + 16, kSpace);
    const Bytes source = random_bytes(kSpace);
    Bytes want = in_place ? source : random_bytes(kSpace);
    std::copy(source.begin(), source.end(), from_);
    std::copy(want.begin(), want.end(), to_);
    BlockSpan span = {(in_place ? to_ : from_) + kGuard + in_skew,
                      to_ + kGuard + out_skew,
                      n,
                      chained,
                      !sent,
                      {}};
    const Bytes before = random_bytes(8);
    std::copy(before.begin(), before.end(), span.before);
    std::uint8_t* const expected = want.data() + kGuard + out_skew;
    const CipherOps& ops = find_backend("scalar")->ops[key_.cipher.index];
    (encrypt ? ops.encrypt : ops.decrypt)(key_.keys, span.in, expected, count);
    for (std::size_t i = 0; chained && i < n; ++i) {
      expected[i] ^= i < 8 && sent ? before[i] : source[kGuard + in_skew + i - 8];
    }
    with_keys(encrypt, false, [&](const auto& keys, unsigned passes) {
      alignas(16) std::uint8_t tile[kRowBytes];
      on_a_warp([&](unsigned lane) {
        for (std::uint64_t at = 0; at < span.bytes; at += kBitslicedUnitBytes) {
          block_unit<DesBitSliced>(keys, passes, span, at, lane, tile);
        }
      });
    });
    ASSERT_EQ(first_difference(Bytes(to_, to_ + kSpace), want), kSpace)
        << count << " blocks, in " << in_skew << ", out " << out_skew;
    ASSERT_EQ(Bytes(from_, from_ + kSpace), source);
  }

  // Counter mode by units, with data unless in_skew < 0.
  void ctr(const Bytes& counter, std::size_t n, int in_skew, std::size_t out_skew, bool as_bits) {
    const Bytes source = random_bytes(kSpace);
    Bytes want = random_bytes(kSpace);
    std::copy(source.begin(), source.end(), from_);
    std::copy(want.begin(), want.end(), to_);
    const std::uint8_t* const in = in_skew < 0 ? nullptr : from_ + kGuard + in_skew;
    std::uint8_t* const out = to_ + kGuard + out_skew;
    Bytes made = in == nullptr ? Bytes(n) : Bytes(in, in + n);
    key_.expect(counter, &made);
    std::copy(made.begin(), made.end(), want.data() + kGuard + out_skew);
    with_keys(true, as_bits, [&](const auto& keys, unsigned passes) {
      alignas(16) std::uint8_t tile[kRowBytes + 16];
      CounterRuns runs(counter.data(), 8, n);
      for (CounterRun run; runs.next(&run);) {
        on_a_warp([&](unsigned lane) {
          for (std::size_t at = 0; at < run.bytes; at += kBitslicedUnitBytes) {
            const std::size_t place = run.offset + at;
            ctr_unit<DesBitSliced>(keys, passes, run.counter, static_cast<std::uint32_t>(at / 8),
                                   in == nullptr ? nullptr : in + place, out + place,
                                   run.bytes - at, lane, tile);
          }
        });
      }
    });
    ASSERT_EQ(first_difference(Bytes(to_, to_ + kSpace), want), kSpace)
        << n << " bytes, in " << in_skew << ", out " << out_skew;
  }

  // As bitsliced_ctr has it: counters in tiles of 32 rows, of which a job has a part.
  template <bool kXor>
  void tiles(std::uint32_t high, std::uint32_t first, unsigned count) {
    BitslicedParameters<DesBitSliced> job = {};
    for (unsigned n = 0; n < 32; ++n) job.upper[n] = spread(high, n);
    job.first = first;
    job.blocks = count;
    const Bytes source = random_bytes(kSpace);
    Bytes want = random_bytes(kSpace);
    std::copy(source.begin(), source.end(), from_);
    std::copy(want.begin(), want.end(), to_);
    Bytes counter(8);
    store_be(counter.data(), std::uint64_t{high} << 32 | first);
    Bytes made(8 * count);
    if (kXor) made.assign(from_ + kGuard, from_ + kGuard + 8 * count);
    key_.expect(counter, &made);
    std::copy(made.begin(), made.end(), want.data() + kGuard);
    with_keys(true, false, [&](const auto& keys, unsigned passes) {
      for (unsigned tile = 0; 1024 * tile < first % 32 + count; ++tile) {
        for (unsigned lane = 0; lane < 32; ++lane) one_tile<kXor>(keys, passes, job, tile, lane);
      }
    });
    ASSERT_EQ(first_difference(Bytes(to_, to_ + kSpace), want), kSpace)
        << count << " blocks from " << first;
  }
  template <bool kXor, class K>
  void one_tile(const K& keys, unsigned passes, const BitslicedParameters<DesBitSliced>& job,
                unsigned tile, unsigned lane) {
    BitslicedCipherWord<DesBitSliced> x[8];
    load_counters<DesBitSliced>(x, job, job.first / 32 + 32 * tile, lane);
    BitslicedBit planes[64];
    for (unsigned p = 0; p < 64; ++p) planes[p].v = x[p / 8].bit[p % 8];
    DesBitSliced::run(planes, keys, passes);
    std::uint32_t word[2][32];
    for (unsigned p = 0; p < 64; ++p) word[p / 32][p % 32] = planes[p].v;
    transpose(word[0]);
    transpose(word[1]);
    const TilePlace at = {tile * 1024 - job.first % 32 + lane, job.blocks, false};
    TileData<kXor, 2> data;
    data.from = reinterpret_cast<const uint2*>(from_ + kGuard) + static_cast<int>(at.first);
    data.load(at, 0);
    store_tile<kXor, 0>(word, data, to_ + kGuard, at);
  }

  const Key key_{*find_cipher(C::kName)};
  alignas(16) std::uint8_t from_[kSpace];
  alignas(16) std::uint8_t to_[kSpace];
};

using Ciphers = testing::Types<Des, DesEde3>;
TYPED_TEST_SUITE(BitslicedForm, Ciphers);

TYPED_TEST(BitslicedForm, BlocksOfAnyCount) {
  for (const std::size_t count : {1, 2, 3, 63, 64, 65, 300, 1023, 1024, 1025, 2100}) {
    this->blocks(true, false, count, 0, 0, false);
    this->blocks(false, false, count, 0, 0, false);
    this->blocks(false, true, count, 0, 0, true);
    this->blocks(false, true, count, 0, 0, false);
    this->blocks(true, false, count, 0, 0, false, true);
    this->blocks(false, false, count, 5, 5, false, true);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(BitslicedForm, BlocksOfAnyAlignment) {
  for (std::size_t skew = 0; skew < 16; ++skew) {
    const std::size_t count = 1 + random_below(200);
    this->blocks(skew % 2 == 0, false, count, skew, random_below(16), false);
    this->blocks(false, true, count, skew, random_below(16), true);
    this->blocks(false, true, count, random_below(16), skew, false);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(BitslicedForm, CounterModeOfAnyLength) {
  for (const std::size_t n : {1, 7, 8, 9, 15, 16, 17, 511, 512, 513, 8191, 8192, 8193, 20000}) {
    this->ctr(random_bytes(8), n, -1, 0, false);
    this->ctr(random_bytes(8), n, 0, 0, true);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(BitslicedForm, CounterModeOfAnyAlignment) {
  for (std::size_t skew = 0; skew < 16; ++skew) {
    this->ctr(random_bytes(8), 1 + random_below(10000), static_cast<int>(random_below(17)) - 1,
              skew, skew % 2 == 0);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(BitslicedForm, CountersCarry) {
  for (std::size_t ones = 0; ones <= 8; ++ones) {
    Bytes counter = random_bytes(8);
    std::fill(counter.end() - static_cast<std::ptrdiff_t>(ones), counter.end(), 0xff);
    if (ones != 0) counter[7] = static_cast<std::uint8_t>(0xf0 + ones);
    this->ctr(counter, 1000, 0, 0, false);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(BitslicedForm, Tiles) {
  const auto high = static_cast<std::uint32_t>(random_source()());
  this->template tiles<false>(high, 0x12345400, 1024);
  this->template tiles<false>(high, 0xfffffc00, 1024);
  this->template tiles<true>(~high, 0x89abcdef, 2000);
  this->template tiles<true>(high, 1, 1);
  this->template tiles<false>(~high, 0xffffff00, 256);
}

}  // namespace
}  // namespace gpuctr
