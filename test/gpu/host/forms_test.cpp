// The word-wise kernels without a device: their forms, and what moves blocks and keystream between
// memory and a warp. A thread is a lane.
#include "test/gpu/host/warp.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cipher/folders.h"
#include "kernels/cipher/idea/form.cuh"
#include "kernels/cipher/lea/form.cuh"
#include "kernels/gpu/cuda/kernel/blocks.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/exchange.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/plain.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wide.cuh"
#include "test/gpu/support.h"
#include "test/gpu/xts.h"

namespace gpuctr {
namespace {

using namespace test;

template <class F>
class WordForm : public testing::Test {
 protected:
  static constexpr std::size_t kBlock = F::Cipher::kWords * sizeof(typename F::Cipher::Word);

  static constexpr bool kExchanges = kExchangeBytes<F> != 0;
  static constexpr std::size_t kUnitBytes = F::kChunks * std::size_t{kRowBytes};

  // As wordwise::block_kernel does it.
  template <bool kEncrypt>
  void run(const BlockSpan& span) const {
    std::uint32_t words[KeysOf<F>::kWords];
    KeysOf<F>::lay_out(key_.keys, words);
    alignas(16) std::uint8_t tile[kRowBytes + kExchangeBytes<F>];
    on_a_warp([&](unsigned lane) {
      for (std::uint64_t start = 0; start < span.bytes; start += kUnitBytes) {
        uint4 chunk[F::kChunks];
        for (unsigned q = 0; q < F::kChunks; ++q) {
          chunk[q] = load_row<kBlock>(span, start + q * kRowBytes, lane, tile);
        }
        if constexpr (kExchanges) rows_to_blocks<F>(chunk, tile, lane);
        for (unsigned q = 0; q < F::kChunks && span.masks != nullptr; ++q)
          chunk[q] = xor4(chunk[q], mask_of(span, start + q * kRowBytes, lane));
        F::template blocks<kEncrypt>(words, chunk);
        for (unsigned q = 0; q < F::kChunks && span.masks != nullptr; ++q)
          chunk[q] = xor4(chunk[q], mask_of(span, start + q * kRowBytes, lane));
        if constexpr (kExchanges) {
          blocks_to_rows<F>(chunk, tile, lane);
          wipe_tile<kExchangeBytes<F>>(tile, lane);
        }
        for (unsigned q = 0; q < F::kChunks; ++q) {
          store_row<kBlock>(span, start + q * kRowBytes, lane, chunk[q], tile);
        }
      }
    });
    // Shared memory outlives a kernel.
    ASSERT_EQ(std::count(tile, tile + kExchangeBytes<F>, 0), std::ptrdiff_t{kExchangeBytes<F>});
  }

  // As wordwise::ctr_kernel does it.
  template <bool kAny>
  static void run_piece(const std::uint32_t* words, const CounterOf<F>& counter,
                        const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) {
    alignas(16) std::uint8_t tile[kUnitBytes + kRowBytes];
    on_a_warp([&](unsigned lane) {
      std::uint32_t first = lane;
      for (std::size_t at = 0; at < bytes; at += kUnitBytes) {
        uint4 chunk[F::kChunks];
        RoundsOf<F>::template chunks<kAny>(words, counter, first, chunk);
        if constexpr (kExchanges) blocks_to_rows<F>(chunk, tile, lane);
        const std::uint8_t* const from = in == nullptr ? nullptr : in + at;
        if constexpr (kAny) {
          store_any<F::kChunks>(chunk, tile, from, out + at, bytes - at, lane);
        } else {
          store_aligned<F::kChunks>(chunk, from, out + at, bytes - at, lane);
        }
        first += 32 * F::kChunks / kChunksABlock<typename F::Cipher>;
      }
    });
  }

  // As wordwise::ctr does it.
  void run_ctr(const Bytes& counter, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const {
    std::uint32_t words[KeysOf<F>::kWords];
    KeysOf<F>::lay_out(key_.keys, words);
    CounterRuns pieces(counter.data(), kBlock, bytes);
    for (CounterRunOf<CounterOf<F>> piece; pieces.next(&piece);) {
      const std::uint8_t* const from = in == nullptr ? nullptr : in + piece.offset;
      std::uint8_t* const to = out + piece.offset;
      const auto bits =
          reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
      (bits % 16 == 0 ? run_piece<false> : run_piece<true>)(words, piece.counter, from, to,
                                                            piece.bytes);
    }
  }

  // A counter whose last 32 bits carry after `blocks` blocks.
  static Bytes counter_before_a_carry(std::uint32_t blocks) {
    Bytes counter = random_bytes(kBlock);
    if (random_below(2) == 0) std::fill(counter.begin(), counter.end(), 0xff);
    const std::uint32_t low = 0 - blocks;
    for (unsigned i = 0; i < 4; ++i) {
      counter[kBlock - 1 - i] = static_cast<std::uint8_t>(low >> (8 * i));
    }
    return counter;
  }

  void expect_same_ctr(const Bytes& counter, std::size_t n, bool data, std::size_t in_skew,
                       std::size_t out_skew) {
    constexpr std::size_t kGuard = 128;
    alignas(16) std::uint8_t from[9600 + 4 * kGuard], to[sizeof from];
    ASSERT_LE(n + 2 * kGuard, sizeof to);
    const Bytes source = random_bytes(sizeof from);
    Bytes all = random_bytes(sizeof to);
    std::copy(source.begin(), source.end(), from);
    std::copy(all.begin(), all.end(), to);
    const std::uint8_t* const in = data ? from + kGuard + in_skew : nullptr;
    std::uint8_t* const out = to + kGuard + out_skew;
    Bytes want(n);
    if (data) want.assign(in, in + n);
    key_.expect(counter, &want);
    std::copy(want.begin(), want.end(),
              all.begin() + static_cast<std::ptrdiff_t>(kGuard + out_skew));
    run_ctr(counter, in, out, n);
    ASSERT_EQ(first_difference(Bytes(to, to + sizeof to), all), all.size())
        << n << " bytes, in " << in_skew << ", out " << out_skew;
    ASSERT_EQ(Bytes(from, from + sizeof from), source);
  }

  // `sent`: the block before the first comes with the span. in_place: where nothing is chained.
  void expect_same(bool encrypt, bool chained, std::size_t count, std::size_t in_skew,
                   std::size_t out_skew, bool sent, bool in_place = false) {
    const std::size_t n = count * kBlock;
    constexpr std::size_t kGuard = 128;  // the block before the first may be read there
    alignas(16) std::uint8_t from[300 * kBlock + 4 * kGuard], to[sizeof from];
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

  // CFB decryption: encrypted blocks, each moved on by one, XORed with the ciphertext.
  void expect_feedback(std::size_t count, std::size_t in_skew, std::size_t out_skew, bool sent) {
    const std::size_t n = count * kBlock;
    constexpr std::size_t kGuard = 128;
    alignas(16) std::uint8_t from[300 * kBlock + 4 * kGuard], to[sizeof from];
    const Bytes source = random_bytes(sizeof from);
    Bytes all = random_bytes(sizeof to);
    std::copy(source.begin(), source.end(), from);
    std::copy(all.begin(), all.end(), to);
    BlockSpan span = {from + kGuard + in_skew, to + kGuard + out_skew, n, false, !sent, {}};
    span.feedback = true;
    const Bytes before = random_bytes(kBlock);
    std::copy(before.begin(), before.end(), span.before);
    Bytes last(span.in - kBlock, span.in + n);
    if (sent) std::copy(before.begin(), before.end(), last.begin());
    std::uint8_t* const want = all.data() + kGuard + out_skew;
    find_backend("scalar")->ops[key_.cipher.index].encrypt(key_.keys, last.data(), want, count);
    for (std::size_t i = 0; i < n; ++i) want[i] ^= span.in[i];
    run<true>(span);
    ASSERT_EQ(first_difference(Bytes(to, to + sizeof to), all), all.size())
        << count << " blocks, in " << in_skew << ", out " << out_skew;
  }

  // XTS of one unit; in == out.
  void expect_masked(bool encrypts, std::size_t count, std::size_t skew) {
    const std::size_t n = count * kBlock;
    const Bytes mask = random_bytes(16);
    Bytes all = random_bytes(n + 64);
    std::uint8_t* const at =
        all.data() + (-reinterpret_cast<std::uintptr_t>(all.data()) & 15) + skew;
    const Bytes want = xts_of(key_, encrypts, mask, Bytes(at, at + n));
    std::vector<uint4> masks(n / kRowBytes + 1);
    Bytes row = mask;
    for (uint4& m : masks) {
      std::memcpy(&m, row.data(), 16);
      for (unsigned i = 0; i < 32; ++i) next_mask(row.data());
    }
    BlockSpan span = {at, at, n, false, false, {}};
    span.masks = masks.data();
    encrypts ? run<true>(span) : run<false>(span);
    ASSERT_EQ(first_difference(Bytes(at, at + n), want), n) << count << " blocks, skew " << skew;
  }

  void expect_ctr_of_any_length() {
    for (const std::size_t n :
         {1, 2, 15, 16, 17, 31, 127, 128, 129, 511, 512, 513, 2047, 2048, 9001}) {
      const Bytes counter = random_bytes(kBlock);
      expect_same_ctr(counter, n, n % 2 == 0, 0, 0);
      expect_same_ctr(counter, n, true, random_below(16), random_below(16));
      if (this->HasFatalFailure()) return;
    }
  }
  void expect_ctr_through_a_carry() {
    for (const std::uint32_t blocks : {1, 2, 31, 32, 33, 60}) {
      const Bytes counter = counter_before_a_carry(blocks);
      expect_same_ctr(counter, 70 * kBlock + 5, true, 0, 0);
      expect_same_ctr(counter, 70 * kBlock + 5, false, 0, blocks % 16);
      if (this->HasFatalFailure()) return;
    }
  }

  const Key key_{*find_cipher(F::Cipher::kName)};
};

// The forms of the ciphers that have their rounds here, not in tables: their own, where the folder
// has a cuda.cu, and the plain one.
template <class... Form>
struct FormList {
  using Types = testing::Types<Form...>;
};
template <class C>
auto forms_of() {
  if constexpr (!CiphersWithCuda::has<C>()) {
    if constexpr (HasPlainForm<C>::value) return FormList<PlainForm<C>>{};
  } else if constexpr (kChunksABlock<C> > 1) {
    return FormList<WideForm<C, 0, 1, true>, WideForm<C, 0, 2, false>>{};
  } else if constexpr (std::is_same_v<C, Idea>) {
    return FormList<IdeaForm<1>, IdeaForm<2>>{};
  } else if constexpr (HasPlainForm<C>::value) {
    if constexpr (sizeof(typename C::Word) == 1) {
      return FormList<Word8Form<C, 2>, PlainForm<C>>{};
    } else if constexpr (sizeof(typename C::Word) == 2) {
      return FormList<Word16Form<C, 2>, PlainForm<C>>{};
    } else {
      return FormList<Word32Form<C, MixedWord<1u << 8, 1>, 2>, PlainForm<C>>{};
    }
  }
}

template <class Done, class List>
struct FormsOf;
template <class... Done>
struct FormsOf<FormList<Done...>, CipherList<>> {
  using Types = typename FormList<Done...>::Types;
};
template <class... Done, class C, class... Rest>
struct FormsOf<FormList<Done...>, CipherList<C, Rest...>> {
  template <class... More>
  static FormList<Done..., More...> joined(FormList<More...>);
  static auto next() {
    if constexpr (std::is_void_v<decltype(forms_of<C>())>) {
      return FormList<Done...>{};
    } else {
      return decltype(joined(forms_of<C>())){};
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
    this->expect_feedback(count, 0, 0, count % 2 == 0);
    if constexpr (TestFixture::kBlock == 16) this->expect_masked(count % 2 == 0, count, 0);
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
    this->expect_feedback(count, skew, random_below(16), skew % 2 == 0);
    if constexpr (TestFixture::kBlock == 16) this->expect_masked(skew % 2 == 0, count, skew);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(WordForm, CounterModeOfAnyLength) { this->expect_ctr_of_any_length(); }
TYPED_TEST(WordForm, CounterModeThroughACarry) { this->expect_ctr_through_a_carry(); }

// Forms that have counter mode only, with their kernels for all key sizes.
template <class F>
class CounterForm : public WordForm<F> {};
using LeaWord = MixedWord<1u << 29, 1>;
using CounterForms = testing::Types<LeaForm<128, LeaWord, 4>, LeaForm<192, LeaWord, 4>,
                                    LeaForm<256, LeaWord, 4>, LeaForm<256, LeaWord, 2>>;
TYPED_TEST_SUITE(CounterForm, CounterForms);
TYPED_TEST(CounterForm, AnyLength) { this->expect_ctr_of_any_length(); }
TYPED_TEST(CounterForm, ThroughACarry) { this->expect_ctr_through_a_carry(); }

// Every word, with anything in the lower half of its register, by keys at the edges: 0 is 2^16.
TEST(IdeaForm, ProductsOfEveryWord) {
  for (const std::uint32_t key : {1u, 2u, 777u, 32767u, 32768u, 32769u, 65534u, 65535u, 65536u}) {
    for (std::uint32_t x = 0; x < 65536; ++x) {
      const auto below = static_cast<std::uint32_t>(random_below(65536));
      const IdeaWord<2> words = {{x << 16 | below, x << 16}};
      const IdeaWord<2> got = words.product({key, 1});
      const auto want = PlainWord<std::uint16_t>{static_cast<std::uint16_t>(x)}.product(
          {static_cast<std::uint16_t>(key)});
      ASSERT_EQ(got.v[0] >> 16, want.v) << x << " by " << key;
      ASSERT_EQ(got.v[1] >> 16, want.v) << x << " by " << key;
    }
  }
}

// One kernel for all keys: a product's key of 0 is laid out as 2^16, a sum's as 0.
TEST(IdeaForm, LaysKeysOut) {
  if constexpr (CiphersWithCuda::has<Idea>()) {
    RoundKeys keys = {};
    std::uint16_t* const words = keys.words<std::uint16_t>();
    words[1] = 5;
    words[Idea::kSubkeys + 3] = 0xffff;
    std::uint32_t out[IdeaForm<2>::kKeyWords];
    IdeaForm<2>::lay_out_keys(keys, out);
    for (unsigned i = 0; i < Idea::kRoundKeyWords; ++i) {
      const unsigned of_round = i % Idea::kSubkeys % 6;
      const std::uint32_t zero = of_round == 1 || of_round == 2 ? 0 : 0x10000;
      const std::uint32_t want = i == 1 ? 0x50000 : i == Idea::kSubkeys + 3 ? 0xffff : zero;
      ASSERT_EQ(out[i], want) << i;
    }
    EXPECT_EQ(out[Idea::kRoundKeyWords], 1u);
  }
}

}  // namespace
}  // namespace gpuctr
