// The word-wise block kernels without a card: their forms, and what moves blocks between memory and
// a warp. A thread is a lane.
#include <cuda_runtime_api.h>
#include <pthread.h>

#include <algorithm>
#include <cstdint>

// What the headers below ask of nvcc.
#undef __device__
#undef __forceinline__
#define __device__
#define __forceinline__ inline

static inline std::uint32_t __byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t select) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto byte = static_cast<std::uint32_t>(both >> (8 * (select >> (4 * i) & 7)) & 0xff);
    result |= byte << (8 * i);
  }
  return result;
}
static inline std::uint32_t __funnelshift_r(std::uint32_t low, std::uint32_t high, unsigned by) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (by & 31));
}
static inline std::uint32_t __funnelshift_l(std::uint32_t low, std::uint32_t high, unsigned by) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << (by & 31) >> 32);
}
static inline double __longlong_as_double(long long) { return 0; }  // never called

static pthread_barrier_t g_warp;
static inline void __syncwarp() { pthread_barrier_wait(&g_warp); }

#include "kernels/cipher/folders_cuda.h"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/forms.cuh"
#include "kernels/gpu/cuda/kernel/plain.cuh"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

// Calls run(lane) on 32 threads.
template <class Run>
void on_a_warp(const Run& run) {
  struct Lane {
    const Run* run;
    unsigned number;
    pthread_t thread;
  } lanes[32];
  pthread_barrier_init(&g_warp, nullptr, 32);
  for (unsigned i = 0; i < 32; ++i) {
    lanes[i] = {&run, i, {}};
    const auto start = [](void* lane) -> void* {
      (*static_cast<Lane*>(lane)->run)(static_cast<Lane*>(lane)->number);
      return nullptr;
    };
    ASSERT_EQ(0, pthread_create(&lanes[i].thread, nullptr, start, &lanes[i]));
  }
  for (Lane& lane : lanes) pthread_join(lane.thread, nullptr);
  pthread_barrier_destroy(&g_warp);
}

template <class F>
class WordForm : public testing::Test {
 protected:
  static constexpr std::size_t kBlock = F::Cipher::kWords * sizeof(typename F::Cipher::Word);

  // As wordwise::block_kernel does it.
  template <bool kEncrypt>
  void run(const BlockSpan& span) const {
    std::uint32_t words[spread_words<typename F::Cipher::Word>(F::Cipher::kRoundKeyWords)];
    spread_keys<typename F::Cipher::Word>(key_.keys, F::Cipher::kRoundKeyWords, words);
    alignas(16) std::uint8_t tile[kRowBytes];
    on_a_warp([&](unsigned lane) {
      for (std::uint64_t start = 0; start < span.bytes; start += F::kChunks * kRowBytes) {
        uint4 chunk[F::kChunks];
        for (unsigned q = 0; q < F::kChunks; ++q) {
          chunk[q] = load_row(span, start + q * kRowBytes, lane, tile);
        }
        F::template blocks<kEncrypt>(words, chunk);
        for (unsigned q = 0; q < F::kChunks; ++q) {
          store_row<kBlock>(span, start + q * kRowBytes, lane, chunk[q], tile);
        }
      }
    });
  }

  // `sent`: the block before the first comes with the span. in_place: where nothing is chained.
  void expect_same(bool encrypt, bool chained, std::size_t count, std::size_t in_skew,
                   std::size_t out_skew, bool sent, bool in_place = false) {
    const std::size_t n = count * kBlock;
    constexpr std::size_t kGuard = 32;
    alignas(16) std::uint8_t from[8192], to[8192];
    const Bytes source = random_bytes(sizeof from);
    Bytes all = in_place ? source : random_bytes(sizeof to);
    std::copy(source.begin(), source.end(), from);
    std::copy(all.begin(), all.end(), to);
    BlockSpan span = {
        (in_place ? to : from) + kGuard + in_skew, to + kGuard + out_skew, n, chained, !sent, {}};
    const Bytes before = random_bytes(kBlock);
    std::copy(before.begin(), before.end(), span.before);
    Bytes want(n);
    const CipherOps& ops = find_backend("scalar")->ops[key_.cipher.index];
    (encrypt ? ops.encrypt : ops.decrypt)(key_.keys, span.in, want.data(), count);
    for (std::size_t i = 0; chained && i < n; ++i) {
      want[i] ^= i < kBlock && sent ? before[i] : source[kGuard + in_skew + i - kBlock];
    }
    std::copy(want.begin(), want.end(),
              all.begin() + static_cast<std::ptrdiff_t>(kGuard + out_skew));
    encrypt ? run<true>(span) : run<false>(span);
    ASSERT_EQ(first_difference(Bytes(to, to + sizeof to), all), all.size())
        << count << " blocks, in " << in_skew << ", out " << out_skew;
    ASSERT_EQ(Bytes(from, from + sizeof from), source);
  }

  const Key key_{*find_cipher(F::Cipher::kName)};
};

// The forms of the ciphers that have their rounds here, not in tables: their own, where the folder
// has a cuda.cu, and the plain one.
template <class C>
auto own_form() {
  if constexpr (!CiphersWithCuda::has<C>()) {
    return PlainForm<C>{};
  } else if constexpr (sizeof(typename C::Word) == 1) {
    return Word8Form<C, 2>{};
  } else if constexpr (sizeof(typename C::Word) == 2) {
    return Word16Form<C, 2>{};
  } else {
    return Word32Form<C, MixedWord<1u << 8, 1>, 2>{};
  }
}

template <class... Form>
struct FormList {
  using Types = testing::Types<Form...>;
};
template <class Done, class List>
struct FormsOf;
template <class... Done>
struct FormsOf<FormList<Done...>, CipherList<>> {
  using Types = typename FormList<Done...>::Types;
};
template <class... Done, class C, class... Rest>
struct FormsOf<FormList<Done...>, CipherList<C, Rest...>> {
  static auto next() {
    if constexpr (HasPlainForm<C>::value) {
      return FormList<Done..., decltype(own_form<C>()), PlainForm<C>>{};
    } else {
      return FormList<Done...>{};
    }
  }
  using Types = typename FormsOf<decltype(next()), CipherList<Rest...>>::Types;
};

using Forms = FormsOf<FormList<>, AllCiphers>::Types;
TYPED_TEST_SUITE(WordForm, Forms);

TYPED_TEST(WordForm, AnyCount) {
  for (const std::size_t count : {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 131, 300}) {
    this->expect_same(true, false, count, 0, 0, false);
    this->expect_same(false, false, count, 0, 0, false);
    this->expect_same(false, true, count, 0, 0, true);
    this->expect_same(false, true, count, 0, 0, false);
    this->expect_same(true, false, count, 0, 0, false, true);
    this->expect_same(false, false, count, 5, 5, false, true);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(WordForm, AnyAlignment) {
  for (std::size_t skew = 0; skew < 16; ++skew) {
    const std::size_t count = 1 + random_below(200);
    this->expect_same(skew % 2 == 0, false, count, skew, random_below(16), false);
    this->expect_same(false, true, count, skew, random_below(16), true);
    this->expect_same(false, true, count, random_below(16), skew, false);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace gpuctr
