#include "kernels/cipher/registry.h"

#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cipher/folders_known_answers.h"

namespace gpuctr {
namespace {

template <class C>
GPUCTR_INLINE void expand_words(const std::uint8_t* key, std::size_t bytes, RoundKeys* out) {
  typename C::Word* const words = out->template words<typename C::Word>();
  if constexpr (KeyRange<C>::kIsRange) {
    C::expand(key, bytes, words);
  } else {
    static_cast<void>(bytes);
    C::expand(key, words);
  }
}

template <class C>
__attribute__((noinline)) void expand_here(const std::uint8_t* key, std::size_t bytes,
                                           RoundKeys* out) {
  expand_words<C>(key, bytes, out);
}

// Of the schedules with S-boxes, which are made of many small words, and of legacy ciphers, which
// are made seldom. The others keep none of theirs on the stack.
template <class C>
constexpr bool kOnStack = C::kFacts.boxes || C::kFacts.legacy;
constexpr std::size_t kScheduleFrame = 1280;  // GCC 12: 1,032 bytes for ARIA-256

template <class C>
void expand(const std::uint8_t* key, std::size_t bytes, RoundKeys* out) {
  if constexpr (kOnStack<C>) {
    expand_here<C>(key, bytes, out);
    wipe_stack<kScheduleFrame>();
  } else {
    expand_words<C>(key, bytes, out);
  }
}

template <class C>
__attribute__((noinline)) void set_tweak_here(const std::uint8_t* tweak, RoundKeys* keys) {
  C::set_tweak(tweak, keys->template words<typename C::Word>());
}
template <class C>
void set_tweak(const std::uint8_t* tweak, RoundKeys* keys) {
  set_tweak_here<C>(tweak, keys);
  wipe_stack<kScheduleFrame>();
}
template <class C>
constexpr decltype(CipherSpec::set_tweak) tweak_setter() {
  if constexpr (C::kFacts.tweak_bytes == 0) {
    return nullptr;
  } else {
    return set_tweak<C>;
  }
}

template <class C, class = void>
struct HasGeneratorAnswer : std::false_type {
  static constexpr const GeneratorAnswer* kAnswer = nullptr;
};
template <class C>
struct HasGeneratorAnswer<C, std::void_t<decltype(KnownAnswers<C>::kGenerator)>> : std::true_type {
  static constexpr const GeneratorAnswer* kAnswer = &KnownAnswers<C>::kGenerator;
};

template <class C>
constexpr CipherSpec make_spec(std::size_t index) {
  constexpr bool kHasGenerator = HasGeneratorAnswer<C>::value;
  static_assert(C::kFacts.has_generator() == kHasGenerator, "a generator has a known answer");
  static_assert(!kHasGenerator || (!KeyRange<C>::kIsRange &&
                                   (BlockBytes<C>::kValue == 8 || BlockBytes<C>::kValue == 16)),
                "SP 800-90A has CTR_DRBG over blocks of 64 and 128 bits");
  return {index,
          C::kName,
          C::kFacts.alias,
          BlockBytes<C>::kValue,
          C::kKeyBytes,
          KeyRange<C>::kLeast,
          KeyRange<C>::kMost,
          C::kRounds,
          ScheduleBytes<C>::kValue,
          C::kFacts.strength_bits != 0 ? C::kFacts.strength_bits : 8 * unsigned{C::kKeyBytes},
          !C::kFacts.tables,
          C::kFacts.in_openssl,
          C::kFacts.legacy,
          C::kFacts.mode_names.first,
          C::kFacts.mode_names.count,
          expand<C>,
          C::kFacts.tweak_bytes,
          tweak_setter<C>(),
          &KnownAnswers<C>::kBlock,
          HasGeneratorAnswer<C>::kAnswer};
}

struct Table {
  CipherSpec specs[kCipherCount];
};

template <class... C>
constexpr Table make_table(CipherList<C...>) {
  std::size_t i = 0;
  return {{make_spec<C>(i++)...}};
}

constexpr Table kTable = make_table(AllCiphers{});

}  // namespace

const CipherSpec& cipher_spec(std::size_t index) { return kTable.specs[index]; }

const CipherSpec* find_cipher(const char* name) {
  for (const CipherSpec& spec : kTable.specs) {
    if (std::strcmp(spec.name, name) == 0) return &spec;
  }
  return nullptr;
}

}  // namespace gpuctr
