// The kernels for many messages, whole, on the CPU: a thread is a lane. gpu_device_test has all
// ciphers and shapes; here each kernel runs on a few batches.
#define GPUCTR_TEST_ON_THE_CPU  // schedules as a device makes them
#include <algorithm>
#include <atomic>

#include "test/gpu/host/block.h"

#define __noinline__
using std::max;
using std::min;

static uint3 blockDim;
static inline std::uint32_t __shfl_xor_sync(unsigned mask, std::uint32_t value, unsigned by) {
  return __shfl_sync(mask, value, threadIdx.x % 32 ^ by);
}
static inline std::uint32_t __shfl_up_sync(unsigned mask, std::uint32_t value, unsigned by) {
  const unsigned lane = threadIdx.x % 32;
  return __shfl_sync(mask, value, lane < by ? lane : lane - by);
}
static pthread_mutex_t g_atomic = PTHREAD_MUTEX_INITIALIZER;
static inline std::uint32_t atomicMin(std::uint32_t* at, std::uint32_t with) {
  pthread_mutex_lock(&g_atomic);
  const std::uint32_t before = *at;
  *at = std::min(before, with);
  pthread_mutex_unlock(&g_atomic);
  return before;
}

template <class T>
static inline T __ldcs(const T* at) {
  return *at;
}

namespace gpuctr::many {
constexpr std::size_t kShared = 232448;
extern std::uint8_t shared[kShared];
alignas(128) std::uint8_t shared[kShared];
}  // namespace gpuctr::many
static inline std::size_t __cvta_generic_to_shared(const std::uint8_t* p) {
  return static_cast<std::size_t>(p - gpuctr::many::shared);
}
static inline const std::uint8_t* test_shared_memory() { return gpuctr::many::shared; }

#include "kernels/cipher/aes/cuda_tables.h"
#include "kernels/cipher/lea/lea.h"
#include "test/gpu/messages.h"
#include "test/gpu/support.h"
#define __CUDA_ARCH__ 900
#include "kernels/gpu/cuda/kernel/tables/tables.cuh"
#undef __CUDA_ARCH__
#include "kernels/cipher/cham/bitslice_keys.cuh"
#include "kernels/cipher/hight/bitslice_keys.cuh"
#include "kernels/gpu/cuda/kernel/many/common.cuh"
#include "kernels/gpu/cuda/kernel/many/tables.cuh"
#include "kernels/gpu/cuda/kernel/many/wordwise.cuh"

namespace gpuctr::tables {
template <unsigned kOffset>
std::uint32_t load_word(std::uint32_t address) {
  std::uint32_t word;
  std::memcpy(&word, many::shared + address + kOffset, 4);
  return word;
}
template <unsigned kOffset>
void load_word_if(bool mine, std::uint32_t address, std::uint32_t* word) {
  if (mine) *word = load_word<kOffset>(address);
}
template <unsigned kOffset>
std::uint32_t load_byte(std::uint32_t address) {
  return many::shared[address + kOffset];
}
}  // namespace gpuctr::tables

namespace gpuctr::many {
namespace {

using namespace test;
using cuda::ManyPlan;
using Shape = Messages::Shape;

constexpr unsigned kWarps = 2;

// At least so many threads.
void launch(std::uint64_t threads, const std::function<void()>& kernel,
            unsigned of_block = 32 * kWarps) {
  blockDim = {of_block, 1, 1};
  launch_blocks(static_cast<unsigned>((threads + of_block - 1) / of_block), of_block, kernel);
}

// The lanes of a cipher whose counter mode is bit-sliced.
template <class F>
struct SlicedLanes : WordLanes<F> {};
template <class L>
constexpr bool kIsSliced = false;
template <class F>
constexpr bool kIsSliced<SlicedLanes<F>> = true;

template <class F>
const std::uint32_t* stored_words_of() {
  static const tables::Stored<F> stored;
  return stored.words;
}
template <unsigned kKeyBits>
struct AesForm : AesTables<kKeyBits> {
  using Rounds = AesForm<256>;
  static const std::uint32_t* stored_words() { return stored_words_of<AesTables<128>>(); }
};
template <unsigned kKeyBits>
struct AesInverse : AesInverseTables<kKeyBits> {
  using Rounds = AesInverse<256>;
  static const std::uint32_t* stored_words() { return stored_words_of<AesInverseTables<128>>(); }
};
template <unsigned kKeyBits>
using AesKey = TableKey<AesForm<kKeyBits>, AesInverse<kKeyBits>>;
using AesLanes = TableLanes<AesKey<128>, AesKey<192>, AesKey<256>>;

// The steps of cuda::ManyStream, with kernels as functions.
template <class L>
class Steps {
 public:
  explicit Steps(const Messages& m)
      : m_(m),
        out_(m.out),
        tags_(m.tags),
        results_(m.shape.count, 7),
        blocks_(16 * m.shape.count),
        work_(2 * m.shape.count) {}

  void run(void (*lay_out)(const RoundKeys&, std::uint32_t*), unsigned tile) {
    const Shape& s = m_.shape;
    std::memset(shared, 0, sizeof shared);
    const bool whole = s.mode == DeviceMode::kCbc && (s.encrypts || s.in_place);
    const ManyPlan plan(s.mixed ? m_.lengths.data() : nullptr, static_cast<std::uint32_t>(s.length),
                        s.count, whole, 1);
    std::vector<ManyPiece> list(plan.pieces);
    if (s.mixed) plan.write(m_.lengths.data(), s.count, list.data());
    std::vector<std::uint64_t> aad_offsets;
    std::uint64_t sum = 0;
    for (const std::uint32_t n : m_.aad_lengths) {
      aad_offsets.push_back(sum);
      sum += n;
    }
    ManyJob job = {};
    job.key_bytes = static_cast<std::uint32_t>(m_.cipher.key_bytes);
    std::vector<std::uint32_t> row(L::key_words(job));
    lay_out(m_.own, row.data());
    if (s.keys == KeySource::kOwn) job.row = row.data();
    job.keys = m_.keys.data();
    job.index = m_.index.empty() ? nullptr : m_.index.data();
    job.blocks = blocks_.data();
    job.lengths = s.mixed ? m_.lengths.data() : nullptr;
    job.offsets = m_.offsets.data();
    job.length = static_cast<std::uint32_t>(s.length);
    job.out = out_.data();
    job.in = s.in_place ? out_.data() : m_.in.data();
    job.list = s.mixed ? list.data() : nullptr;
    job.pieces = static_cast<std::uint32_t>(plan.pieces);
    job.parts = plan.parts;
    job.piece_bytes = plan.piece_bytes;
    job.wraps_at_32 = s.counter_bits == 32;
    job.longest = std::min(plan.longest, plan.piece_bytes);
    job.tile = tile;
    job.aad = m_.aad.data();
    job.aad_offsets = aad_offsets.data();
    job.aad_lengths = m_.aad_lengths.data();
    job.tag_bytes = static_cast<std::uint32_t>(s.tag_bytes);
    job.tags = tags_.data();
    job.encrypts = s.encrypts;
    job.outcome = outcome_;
    job.hash_keys = work_.data();
    job.masks = work_.data() + s.count;
    ManyJob messages = job;
    messages.list = nullptr, messages.parts = 1, messages.piece_bytes = ManyPlan::kWhole;
    messages.pieces = static_cast<std::uint32_t>(s.count);
    messages.tile = tile;
    const auto all = [&](const ManyJob& j, ManyStep step) {
      if constexpr (kIsSliced<L>) {
        if (step == ManyStep::kCtr) {
          launch(
              sliced_lanes(j), [&] { sliced_kernel<typename L::Cipher>(j); }, kSlicedThreads);
          return;
        }
      }
      const std::uint64_t threads = (j.pieces + tile - 1) / tile * std::uint64_t{32};
      launch(threads, [&] {
        L::kPersistent                  ? messages_kernel<L, ManySteps::kAll>(j, step)
        : step == ManyStep::kCtr        ? messages_kernel<L, ManySteps::kCtr>(j, step)
        : step == ManyStep::kCbcDecrypt ? messages_kernel<L, ManySteps::kCbcDecrypt>(j, step)
                                        : messages_kernel<L, ManySteps::kChains>(j, step);
      });
    };
    const auto first = [&](cuda::ManyBlocks kind) {
      launch(s.count, [&] {
        cuda::blocks_kernel(kind, m_.ivs.data(), static_cast<std::uint32_t>(s.iv_bytes),
                            L::kBlockBytes, blocks_.data(), static_cast<std::uint32_t>(s.count));
      });
    };
    const auto hash = [&](const std::uint8_t* text, unsigned team) {
      launch(s.count * team, [&] { cuda::hash_kernel(messages, text, team); });
    };
    messages.results = results_.data();
    if (s.mode == DeviceMode::kGcm) {
      first(cuda::ManyBlocks::kGcm);
      all(messages, ManyStep::kSeeds);
      job.first_block = 1, job.wraps_at_32 = true;
      if (!s.encrypts) hash(job.in, 4), job.results = results_.data();
      all(job, ManyStep::kCtr);
      if (s.encrypts) hash(job.out, 32);
    } else if (s.mode == DeviceMode::kCcm) {
      first(cuda::ManyBlocks::kCcm);
      job.first_block = 1;
      if (!s.encrypts) all(job, ManyStep::kCtr), messages.in = job.out;
      all(messages, ManyStep::kCcmMac);
      launch(s.count, [&] { cuda::tags_kernel(messages, messages.pieces); });
      if (s.encrypts) all(job, ManyStep::kCtr);
      if (!s.encrypts) launch(s.count * 32, [&] { cuda::zero_kernel(messages); });
    } else {
      first(cuda::ManyBlocks::kPadded);
      all(job, s.mode == DeviceMode::kCtr ? ManyStep::kCtr
               : s.encrypts               ? ManyStep::kCbcEncrypt
                                          : ManyStep::kCbcDecrypt);
    }
    EXPECT_EQ(first_difference(out_, m_.want), m_.want.size());
    if (m_.authenticates()) {
      EXPECT_EQ(tags_, m_.want_tags);
      EXPECT_EQ(results_, m_.want_results);
      EXPECT_EQ(outcome_[0], m_.wrong);
      EXPECT_EQ(outcome_[1], m_.first_wrong);
    }
    // No round key stays.
    std::size_t rows = kWarps * 32 * L::row_words(job) * 4;
    if constexpr (kIsSliced<L>)
      rows =
          std::max<std::size_t>(rows, 4 * kSlicedThreads * SlicedKeys<typename L::Cipher>::kWords);
    const Bytes left(shared + L::kTableBytes,
                     shared + std::min<std::size_t>(kShared, L::kTableBytes + rows));
    EXPECT_EQ(left, Bytes(left.size()));
  }

 private:
  const Messages& m_;
  Bytes out_, tags_, results_, blocks_;
  std::vector<uint4> work_;
  std::uint32_t outcome_[2] = {0, UINT32_MAX};
};

template <class C, class L>
void try_all(void (*lay_out)(const RoundKeys&, std::uint32_t*),
             void (*lay_out_inverse)(const RoundKeys&, std::uint32_t*)) {
  const CipherSpec& cipher = *find_cipher(C::kName);
  for (unsigned round = 0; round < 12; ++round) {
    Shape shape;
    shape.mode = static_cast<DeviceMode>(round % 4);
    if (cipher.block_bytes == 8 && round % 4 != 0) shape.mode = DeviceMode::kCbc;
    if (cipher.block_bytes == 8 && round % 4 == 2) shape.mode = DeviceMode::kCtr;
    shape.encrypts = round / 4 % 2 == 0;
    shape.keys = static_cast<KeySource>(round % 3);
    shape.mixed = round % 5 != 0;
    shape.scattered = round % 2 == 0;
    shape.in_place = round / 2 % 2 == 0;
    shape.count = 1 + random_below(40);
    shape.length = round == 8 ? 40000 : shape.mixed ? 700 : 64 + 16 * random_below(20);
    shape.aad = random_below(50);
    shape.wrong_tags = true;
    shape.counter_bits = round % 8 == 4 ? 32 : 0;
    const Messages messages(cipher, shape);
    const bool inverse = shape.mode == DeviceMode::kCbc && !shape.encrypts;
    SCOPED_TRACE(testing::Message() << cipher.name << ", round " << round);
    Steps<L>(messages).run(inverse ? lay_out_inverse : lay_out, round % 3 == 0 ? 32 : 8);
    if (testing::Test::HasFailure()) return;
  }
}

template <class F, class L = WordLanes<F>>
void try_words() {
  try_all<typename F::Cipher, L>(KeysOf<F>::lay_out, KeysOf<F>::lay_out);
}
template <class F>
void try_sliced() {
  try_words<F, SlicedLanes<F>>();
}

TEST(ManyKernels, OfLea) { try_words<Word32Form<Lea<128>, MixedWord<1u << 29, 2>>>(); }
TEST(ManyKernels, OfHight) { try_sliced<Word8Form<Hight, 4>>(); }
TEST(ManyKernels, OfCham64) { try_sliced<Word16Form<Cham64_128, 4>>(); }
template <unsigned kKeyBits>
void try_aes() {
  try_all<Aes<kKeyBits>, AesLanes>(AesForm<kKeyBits>::lay_out_keys,
                                   AesInverse<kKeyBits>::lay_out_keys);
}
TEST(ManyKernels, OfAes128) { try_aes<128>(); }
TEST(ManyKernels, OfAes192) { try_aes<192>(); }
TEST(ManyKernels, OfAes256) { try_aes<256>(); }

}  // namespace
}  // namespace gpuctr::many
