// CipherSpec from a cipher's definition. Only for the files that kernels/cmake/Ciphers.cmake
// writes, one for each folder: no widely included header depends on the definitions.
#ifndef GPUCTR_KERNELS_CIPHER_SPEC_H
#define GPUCTR_KERNELS_CIPHER_SPEC_H

#include <tuple>

#include "kernels/base/wipe.h"
#include "kernels/cipher/bit_sliced.h"
#include "kernels/cipher/known_answers.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {
namespace {

template <class C>
GPUCTR_INLINE void expand_words(const std::uint8_t* key, std::size_t bytes, RoundKeys* out) {
  typename C::Word* const words = out->template words<typename C::Word>();
  if constexpr (KeyRange<C>::kIsRange) {
    C::expand(key, bytes, *reinterpret_cast<typename C::Word(*)[C::kRoundKeyWords]>(words));
  } else {
    static_cast<void>(bytes);
    expand_key<C>(key, words);
  }
}

template <class C>
__attribute__((noinline)) void expand_here(const std::uint8_t* key, std::size_t bytes,
                                           RoundKeys* out) {
  expand_words<C>(key, bytes, out);
}

// Some schedules leave secrets on the stack: those with S-boxes, which use many small words, and
// those of legacy ciphers, which are rarely used. Other schedules leave no secret there.
template <class C>
constexpr bool kOnStack = C::kFacts.boxes || C::kFacts.legacy;
constexpr std::size_t kScheduleFrame = 1536;  // GCC 12: 1,032 bytes for ARIA-256, and sub_words()

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
__attribute__((noinline)) void expand_effective_here(const std::uint8_t* key, std::size_t bytes,
                                                     unsigned bits, RoundKeys* out) {
  C::expand(key, bytes, bits,
            *reinterpret_cast<typename C::Word(*)[C::kRoundKeyWords]>(
                out->template words<typename C::Word>()));
}
template <class C>
void expand_effective(const std::uint8_t* key, std::size_t bytes, unsigned bits, RoundKeys* out) {
  expand_effective_here<C>(key, bytes, bits, out);
  wipe_stack<kScheduleFrame>();
}
// A definition with kEffectiveBits has an expand() that takes other bits after the key's size.
template <class C, class = void>
constexpr bool kHasEffectiveBits = false;
template <class C>
constexpr bool kHasEffectiveBits<C, std::void_t<decltype(C::kEffectiveBits)>> = true;

template <class C>
constexpr decltype(CipherSpec::expand_effective) effective_expander() {
  if constexpr (kHasEffectiveBits<C>) {
    return expand_effective<C>;
  } else {
    return nullptr;
  }
}
template <class C>
constexpr unsigned effective_bits_of() {
  if constexpr (kHasEffectiveBits<C>) {
    return C::kEffectiveBits;
  } else {
    return 0;
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

template <class C>
constexpr CipherSpec make_spec(std::size_t index, const KnownAnswer* answer) {
  constexpr CipherFacts kFacts = C::kFacts;
  static_assert(!kFacts.has_generator() || (!KeyRange<C>::kIsRange && BlockBytes<C>::kValue <= 16),
                "SP 800-90A has CTR_DRBG over blocks of 64 and 128 bits");
  static_assert(C::kKeyBytes <= kMaxKeyBytes && KeyRange<C>::kMost <= kMaxKeyBytes &&
                    BlockBytes<C>::kValue <= kMaxBlockBytes &&
                    ScheduleBytes<C>::kValue <= kMaxScheduleBytes &&
                    kFacts.tweak_bytes <= kMaxTweakBytes,
                "sizes.h is of these definitions");
  return {index,
          C::kName,
          kFacts.alias,
          BlockBytes<C>::kValue,
          C::kKeyBytes,
          KeyRange<C>::kLeast,
          KeyRange<C>::kMost,
          C::kRounds,
          ScheduleBytes<C>::kValue,
          kFacts.strength_bits != 0 ? kFacts.strength_bits : 8 * unsigned{C::kKeyBytes},
          !kFacts.tables,
          kFacts.in_openssl,
          kFacts.legacy,
          kFacts.mode_names.first,
          kFacts.mode_names.count,
          expand<C>,
          kFacts.tweak_bytes,
          tweak_setter<C>(),
          &answer->block,
          kFacts.has_generator() ? &answer->generator : nullptr,
          effective_expander<C>(),
          effective_bits_of<C>()};
}

// Cipher number kAt of a folder; the folder's first cipher has this index in the registry.
template <std::size_t kAt, class... C>
constexpr CipherSpec spec_of(CipherList<C...>, std::size_t index, const KnownAnswer* answers) {
  return make_spec<std::tuple_element_t<kAt, std::tuple<C...>>>(index + kAt, answers + kAt);
}

}  // namespace
}  // namespace gpuctr

#endif
