// The bit-sliced kernels of HIGHT and CHAM, whole, on the CPU: a thread is a lane.
#define GPUCTR_TEST_ON_THE_CPU
#include <algorithm>
#include <cstring>

#include <vector_functions.h>
#include "test/gpu/host/block.h"

#undef __shared__
#define __shared__ static
static uint3 blockDim;
static const std::uint8_t* g_shared;
static inline const std::uint8_t* test_shared_memory() { return g_shared; }
static inline std::size_t __cvta_generic_to_shared(const std::uint32_t* p) {
  g_shared = reinterpret_cast<const std::uint8_t*>(p);
  return 0;
}

#include "kernels/cipher/cham/bitslice.cuh"
#include "kernels/cipher/hight/bitslice.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/blocks.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/job.cuh"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

constexpr unsigned kProcessors = 2;

template <class C>
class BitslicedKernel : public testing::Test {
 protected:
  static constexpr std::size_t kBlock = BitslicedParameters<C>::kBlockBits / 8;
  static constexpr std::size_t kTile = kBlockTileBytes<C>;

  static void launch(unsigned grid, const std::function<void()>& kernel) {
    blockDim = {kBitslicedThreads<C>, 1, 1};
    launch_blocks(grid, kBitslicedThreads<C>, kernel);
  }

  // Counter mode, of `blocks` blocks from the counter whose low 32 bits are `first`.
  template <bool kXor>
  void ctr(std::uint32_t first, std::uint32_t blocks) {
    BitslicedParameters<C> job = {};
    set_keys(key_.keys, &job);
    Bytes counter = random_bytes(kBlock);
    store_be(counter.data() + kBlock - 4, first);
    set_counter(counter.data(), &job);
    set_tiles(blocks, &job);
    const unsigned grid = share_out(kProcessors, kXor, &job);
    Bytes want = kXor ? random_bytes(blocks * kBlock) : Bytes(blocks * kBlock);
    fill(want);
    launch(grid, [&] { bitsliced_ctr<C, kXor>(job, kXor ? from() : nullptr, to()); });
    key_.expect(counter, &want);
    expect(want);
  }

  template <bool kEncrypt>
  void blocks(std::uint32_t tiles, bool transforms, bool sent, bool in_place = false) {
    BitslicedBlockParameters<C> job = {};
    set_keys(key_.keys, &job.keys);
    job.keys.tiles = tiles;
    const Bytes in = random_bytes(tiles * kTile);
    fill(in);
    job.span = {
        from(), to(), in.size(), transforms && !kEncrypt, !sent, {}, transforms && kEncrypt};
    if (in_place) {
      std::copy(in.begin(), in.end(), to());
      job.span.in = to();
    }
    Bytes before(from() - kBlock, from());
    if (sent) before = random_bytes(kBlock);
    std::copy(before.begin(), before.end(), job.span.before);
    const unsigned grid = share_out(kProcessors, true, &job.keys);
    launch(grid, [&] { bitsliced_blocks<C, kEncrypt>(job); });

    before.insert(before.end(), in.begin(), in.end());  // each block after the block before it
    Bytes want(in.size());
    const CipherOps& ops = find_backend("scalar")->ops[key_.cipher.index];
    (kEncrypt ? ops.encrypt : ops.decrypt)(key_.keys,
                                           transforms && kEncrypt ? before.data() : in.data(),
                                           want.data(), want.size() / kBlock);
    for (std::size_t i = 0; transforms && i < want.size(); ++i) {
      want[i] ^= kEncrypt ? in[i] : before[i];
    }
    expect(want);
  }

 private:
  static constexpr std::size_t kGuard = 64;

  void fill(const Bytes& data) {
    size_ = data.size();
    memory_[0] = random_bytes(size_ + 2 * kGuard + 16);
    memory_[1] = around_ = random_bytes(size_ + 2 * kGuard + 16);
    std::copy(data.begin(), data.end(), from());
  }
  void expect(const Bytes& want) {
    const std::size_t at = static_cast<std::size_t>(to() - memory_[1].data());
    std::copy(want.begin(), want.end(), around_.begin() + static_cast<std::ptrdiff_t>(at));
    ASSERT_EQ(first_difference(memory_[1], around_), around_.size());
  }
  std::uint8_t* aligned(Bytes& memory) {
    auto* const p = memory.data() + kGuard;
    return p + (-reinterpret_cast<std::uintptr_t>(p) & 15);
  }
  std::uint8_t* from() { return aligned(memory_[0]); }
  std::uint8_t* to() { return aligned(memory_[1]); }

  const Key key_{*find_cipher(C::kName)};
  Bytes memory_[2], around_;
  std::size_t size_ = 0;
};

using Ciphers = testing::Types<Hight, Cham64_128, Cham128_128, Cham128_256>;
TYPED_TEST_SUITE(BitslicedKernel, Ciphers);

TYPED_TEST(BitslicedKernel, CounterMode) {
  this->template ctr<false>(0x12345400, 3 * 1024);
  this->template ctr<false>(0x89abcdef, 2000);
  this->template ctr<true>(0xfffffc00 - 77, 1000);
  this->template ctr<true>(1, 30 * 1024);
  for (std::uint32_t row = 0; row < 32; ++row) {  // of 32: it decides where a tile's rows carry
    this->template ctr<false>(0x001fff00 + 32 * row + row, 992);
  }
}

TYPED_TEST(BitslicedKernel, Blocks) {
  this->template blocks<true>(1, false, false);
  this->template blocks<false>(29, false, false);
  this->template blocks<true>(3, false, false, true);
  this->template blocks<false>(2, false, false, true);
}

TYPED_TEST(BitslicedKernel, CbcDecryption) {
  this->template blocks<false>(3, true, true);
  this->template blocks<false>(3, true, false);
}

TYPED_TEST(BitslicedKernel, CfbDecryption) {
  this->template blocks<true>(3, true, true);
  this->template blocks<true>(3, true, false);
}

}  // namespace
}  // namespace gpuctr
