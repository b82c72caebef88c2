// The kernels of ciphers with tables, whole, on the CPU: a thread is a thread. Built twice, for
// four tables in 32 copies (GPUCTR_TEST_ARCH is such a device) and for devices with less shared
// memory.
#include <algorithm>
#include <cstring>

#include "test/gpu/host/block.h"

using std::min;

namespace gpuctr::tables {
extern std::uint8_t shared[232448];
alignas(128) std::uint8_t shared[232448];
}  // namespace gpuctr::tables
static inline std::size_t __cvta_generic_to_shared(const std::uint8_t* p) {
  return static_cast<std::size_t>(p - gpuctr::tables::shared);
}

#include "kernels/cipher/aes/cuda_bit_sliced.h"
#include "kernels/cipher/aes/cuda_tables.h"
#include "kernels/cipher/blowfish/cuda_tables.h"
#include "kernels/cipher/cast5/cuda_tables.h"
#include "kernels/gpu/cuda/kernel/bitsliced/bits.cuh"
#include "test/gpu/support.h"
#ifdef GPUCTR_TEST_ARCH
#define __CUDA_ARCH__ GPUCTR_TEST_ARCH
#endif
#include "kernels/gpu/cuda/kernel/tables/mixed.cuh"
#include "kernels/gpu/cuda/kernel/tables/tables64.cuh"
#undef __CUDA_ARCH__

namespace gpuctr::tables {

template <unsigned kOffset>
std::uint32_t load_word(std::uint32_t address) {
  std::uint32_t word;
  std::memcpy(&word, shared + address + kOffset, 4);
  return word;
}
template <unsigned kOffset>
void load_word_if(bool mine, std::uint32_t address, std::uint32_t* word) {
  if (mine) *word = load_word<kOffset>(address);
}
template <unsigned kOffset>
std::uint32_t load_byte(std::uint32_t address) {
  return shared[address + kOffset];
}

namespace {

using namespace test;

void launch(unsigned grid, const std::function<void()>& kernel) {
  launch_blocks(grid, kThreads, kernel);
}

const std::uint32_t* cast5_boxes() { return kCastBoxes[0]; }
struct Cast5Form : Cast5Tables {
  using Rounds = Cast5Form;
  static const std::uint32_t* table_words(const std::uint32_t*) { return cast5_boxes(); }
};
struct Cast5Inverse : Cast5InverseTables {
  using Rounds = Cast5Inverse;
  static const std::uint32_t* table_words(const std::uint32_t*) { return cast5_boxes(); }
};
struct BlowfishForm : BlowfishTables {
  using Rounds = BlowfishForm;
};
struct BlowfishInverse : BlowfishInverseTables {
  using Rounds = BlowfishForm;
};
template <class F>
const std::uint32_t* stored_words_of() {
  static const Stored<F> stored;
  return stored.words;
}
struct AesForm : AesTables<128> {
  using Rounds = AesForm;
  using BitSliced = AesBitSliced;
  using BeforeMix = AesInverseTables<128>;
  static const std::uint32_t* stored_words() { return stored_words_of<AesTables<128>>(); }
};
struct AesInverse : AesInverseTables<128> {
  using Rounds = AesInverse;
  static const std::uint32_t* stored_words() { return stored_words_of<AesInverseTables<128>>(); }
};

template <class F, class Inverse, std::size_t kKeyBytes>
struct Both {
  using Form = F;
  using InverseForm = Inverse;
  static constexpr std::size_t kKey = kKeyBytes;
};

enum class Kind { kJob, kWalk, kMixed };
enum class Operation { kEncrypt, kDecrypt, kChain, kFeedback };

template <class T>
class Kernels : public testing::Test {
 protected:
  using F = typename T::Form;
  using R = typename F::Rounds;
  static constexpr std::size_t kBlock = kBlockBytes<F>;
  static constexpr std::size_t kGuard = 32;

  Kernels() { cipher_.expand_bytes(random_bytes(T::kKey).data(), T::kKey, &keys_); }

  // One job from a counter whose low 32 bits are `low`; in_skew < 0: fill. The bytes around the
  // output must stay, and no table of the key.
  void counter_mode(Kind kind, std::uint32_t low, std::size_t n, int in_skew, std::size_t out_skew,
                    unsigned grid) {
    Bytes counter = random_bytes(kBlock);
    for (unsigned i = 0; i < 4; ++i)
      counter[kBlock - 1 - i] = static_cast<std::uint8_t>(low >> (8 * i));
    Aligned from(n), to(n);
    const Bytes data(from.begin(), from.begin() + n + 2 * kGuard);
    Bytes all(to.begin(), to.begin() + n + 2 * kGuard);
    std::uint8_t* const out = to.begin() + kGuard + out_skew;
    const std::uint8_t* in = in_skew < 0 ? nullptr : from.begin() + kGuard + in_skew;
    scalar_.ctr(keys_, counter.data(), in, all.data() + kGuard + out_skew, n);

    CtrParameters<R> job;
    F::lay_out_keys(keys_, job.keys);
    job.rounds = F::kRounds;
    job.counter = split_counter(counter.data(), kBlock);
    job.in = in;
    job.out = out;
    job.bytes = n;
    const bool walk = kind == Kind::kWalk;
    if constexpr (HasBitSliced<F>::value) {
      if (kind == Kind::kMixed) launch_blocks(grid, kMixedThreads, [&] { mixed_kernel<F>(job); });
    }
    if (kind != Kind::kMixed)
      launch(grid, [&] {
        if constexpr (kBlock == 8) {
          if (walk)
            return in == nullptr ? walk64_kernel<F, false>(job) : walk64_kernel<F, true>(job);
        } else {
          if (walk) return walk_kernel<F>(job);
        }
        job_kernel<R>(job);
      });
    ASSERT_EQ(first_difference(Bytes(to.begin(), to.begin() + all.size()), all), all.size())
        << n << " bytes, low " << low << ", in " << in_skew << ", out " << out_skew;
    ASSERT_EQ(Bytes(from.begin(), from.begin() + data.size()), data);
    expect_no_tables();
    if (walk && kBlock == 16) expect_zeros(kTables * kTableBytes, kFirstRowsBytes);
    if (kind == Kind::kMixed) expect_zeros(kTables * kTableBytes, sizeof(MixedMemory));
  }

  // `count` blocks; chained: CBC decryption, with the block before the first sent or read.
  void blocks(Operation operation, std::size_t count, std::size_t in_skew, std::size_t out_skew,
              bool sent, unsigned grid) {
    const std::size_t n = count * kBlock;
    Aligned from(n), to(n);
    const std::uint8_t* const in = from.begin() + kGuard + in_skew;
    Bytes all(to.begin(), to.begin() + n + 2 * kGuard);
    std::uint8_t* const want = all.data() + kGuard + out_skew;
    (operation == Operation::kEncrypt ? scalar_.encrypt : scalar_.decrypt)(keys_, in, want, count);
    const Bytes before = random_bytes(kBlock);
    if (operation == Operation::kFeedback) {
      Bytes last(in - kBlock, in + n);
      if (sent) std::copy(before.begin(), before.end(), last.begin());
      scalar_.encrypt(keys_, last.data(), want, count);
      for (std::size_t i = 0; i < n; ++i) want[i] ^= in[i];
    }
    for (std::size_t i = 0; operation == Operation::kChain && i < n; ++i)
      want[i] ^= i < kBlock && sent ? before[i] : *(in + i - kBlock);
    BlockSpan span = {in, to.begin() + kGuard + out_skew, n, operation == Operation::kChain, !sent,
                      {}};
    std::copy(before.begin(), before.end(), span.before);
    span.feedback = operation == Operation::kFeedback;
    if (span.feedback) {
      run<F, true>(span, grid);
    } else if (operation == Operation::kEncrypt) {
      run<F, false>(span, grid);
    } else if (operation == Operation::kDecrypt) {
      run<typename T::InverseForm, false>(span, grid);
    } else {
      run<typename T::InverseForm, true>(span, grid);
    }
    ASSERT_EQ(first_difference(Bytes(to.begin(), to.begin() + all.size()), all), all.size())
        << count << " blocks, operation " << static_cast<int>(operation) << ", in " << in_skew
        << ", out " << out_skew << (sent ? ", sent" : "");
    expect_no_tables();
  }

 private:
  // Random bytes from a multiple of 16 on, with room around n of them.
  class Aligned {
   public:
    explicit Aligned(std::size_t n) : all_(random_bytes(n + 3 * kGuard)) {}
    std::uint8_t* begin() {
      const auto skew = static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(all_.data()));
      return all_.data() + skew % 16;
    }

   private:
    Bytes all_;
  };

  template <class Keys, bool kTransforms>
  void run(const BlockSpan& span, unsigned grid) {
    BlockParameters<typename Keys::Rounds> job;
    Keys::lay_out_keys(keys_, job.keys);
    job.rounds = Keys::kRounds;
    job.span = span;
    launch(grid, [&] { block_kernel<typename Keys::Rounds, kTransforms>(job); });
  }

  // What depends on the key is gone from shared memory.
  static void expect_no_tables() {
    if (TablesOfKey<F>::value) expect_zeros(0, kTables * kTableBytes);
  }
  static void expect_zeros(std::size_t at, std::size_t n) {
    ASSERT_EQ(Bytes(shared + at, shared + at + n), Bytes(n));
  }

  const CipherSpec& cipher_ = *find_cipher(F::Cipher::kName);
  const CipherOps& scalar_ = find_backend("scalar")->ops[cipher_.index];
  RoundKeys keys_;
};

// CAST-128 has 12 rounds with a short key.
using Forms =
    testing::Types<Both<Cast5Form, Cast5Inverse, 16>, Both<Cast5Form, Cast5Inverse, 10>,
                   Both<BlowfishForm, BlowfishInverse, 56>, Both<AesForm, AesInverse, 16>>;
TYPED_TEST_SUITE(Kernels, Forms);

// A launch takes some 60 ms here, so there are few of each kind; gpu_device_test has all.
TYPED_TEST(Kernels, AnyLength) {
  this->counter_mode(Kind::kJob, 0xfffe0000, 1, -1, 0, 1);
  this->counter_mode(Kind::kJob, 0xfffe0000, 1024 + 9, 0, 0, 1);
  this->counter_mode(Kind::kJob, 0xfffe0000, 40000, -1, 0, 2);
}

TYPED_TEST(Kernels, AnyAlignment) {
  this->counter_mode(Kind::kJob, 77, 3001, -1, 5, 1);
  this->counter_mode(Kind::kJob, 77, 2048, 8, 8, 1);
  this->counter_mode(Kind::kJob, 77, 1500, 0, 15, 1);
}

// Long jobs: rows of 256 blocks, in part at both ends, over the edge of a strip of 256 rows, and
// up to the last counter before a carry out of 32 bits.
TYPED_TEST(Kernels, Walk) {
  constexpr std::size_t kBytes = TestFixture::kBlock;
  constexpr std::size_t kRow = 256 * kBytes;
  this->counter_mode(Kind::kWalk, 0x123456ff, 13 * kRow, 0, 0, 2);
  this->counter_mode(Kind::kWalk, 0x1234fd01, 20 * kRow + 5, 0, 0, 3);
  this->counter_mode(Kind::kWalk, 0xffff0000 - 3 * 256 - 200, 40 * kRow + kBytes + 1, -1, 16, 3);
  this->counter_mode(Kind::kWalk, 0xffffffff - 2000, 2001 * kBytes - 3, -1, 16 - kBytes, 2);
}

// Tiles of 8192 blocks' counters, in part at both ends, and up to the last counter.
using MixedKernel = Kernels<Both<AesForm, AesInverse, 16>>;
TEST_F(MixedKernel, Mixed) {
  counter_mode(Kind::kMixed, 0x1234f8fd, 9000 * 16 + 5, -1, 16, 2);
  counter_mode(Kind::kMixed, 0xffffffff - 20000, 20001 * 16 - 3, -1, 0, 3);
}

TYPED_TEST(Kernels, Blocks) {
  for (const Operation operation :
       {Operation::kEncrypt, Operation::kDecrypt, Operation::kChain, Operation::kFeedback}) {
    this->blocks(operation, 5003, 0, 0, true, 2);
    this->blocks(operation, 129, 0, 0, false, 1);
    this->blocks(operation, 131, 3, 8,
                 operation == Operation::kChain || operation == Operation::kFeedback, 1);
  }
}

}  // namespace
}  // namespace gpuctr::tables
