// Facts of a cipher's definition, read from its struct; those that it does not state have the
// default given here. Sizes in bytes.
#ifndef GPUCTR_KERNELS_CIPHER_FACTS_H
#define GPUCTR_KERNELS_CIPHER_FACTS_H

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace gpuctr {

template <class C, class = void>
struct Strength {
  static constexpr unsigned kBits = 8 * C::kKeyBytes;
};
template <class C>
struct Strength<C, std::void_t<decltype(C::kStrengthBits)>> {
  static constexpr unsigned kBits = C::kStrengthBits;
};

template <class C, class = void>
struct ConstantTime : std::true_type {};
template <class C>
struct ConstantTime<C, std::void_t<decltype(C::kConstantTime)>>
    : std::bool_constant<C::kConstantTime> {};

// Whether OpenSSL has the cipher too, under the same name.
template <class C, class = void>
struct InOpenSsl : std::false_type {};
template <class C>
struct InOpenSsl<C, std::void_t<decltype(C::kInOpenSsl)>> : std::bool_constant<C::kInOpenSsl> {};

// Names of a cipher in one mode, beside "LEA-128-CBC": aliases and object identifiers, with colons
// between, as OpenSSL writes them. An identifier has a source; none is invented.
struct ModeNames {
  const char* mode;
  const char* names;
};
template <class C, class = void>
struct NamesInModes {
  static constexpr const ModeNames* kFirst = nullptr;
  static constexpr std::size_t kCount = 0;
};
template <class C>
struct NamesInModes<C, std::void_t<decltype(C::kModeNames)>> {
  static constexpr const ModeNames* kFirst = C::kModeNames;
  static constexpr std::size_t kCount = std::size(C::kModeNames);
};

// Whether the rounds look bytes up in S-boxes (box.h).
template <class C, class = void>
struct HasBoxes : std::false_type {};
template <class C>
struct HasBoxes<C, std::void_t<decltype(C::kHasBoxes)>> : std::bool_constant<C::kHasBoxes> {};

// Whether the cipher is written on planes, of one bit of each of many blocks (cipher/des/des.h): a
// struct Planes has the rounds. A block has 8 bytes.
template <class C, class = void>
struct HasPlanes : std::false_type {};
template <class C>
struct HasPlanes<C, std::void_t<typename C::Planes>> : std::true_type {};

// Whether the rounds look words up in tables, at addresses that depend on key and data
// (cipher/several.h). Such a cipher says too that it is not constant time.
template <class C, class = void>
struct HasTables : std::false_type {};
template <class C>
struct HasTables<C, std::void_t<decltype(C::kTables)>> : std::bool_constant<C::kTables> {
  static_assert(!C::kTables || !C::kConstantTime, "what looks up tells");
};

// How many blocks go side by side through integer registers (cipher/several.h) on the scalar
// backend, where those of one block would wait for each other.
template <class C, class = void>
struct SideBySide {
  static constexpr unsigned kBlocks = 1;
};
template <class C>
struct SideBySide<C, std::void_t<decltype(C::kSideBySide)>> {
  static constexpr unsigned kBlocks = C::kSideBySide;
};

// Whether the rounds are AES's (FIPS 197), for which CPUs have instructions. Round keys are then
// blocks, one after another from the first on, with the number of rounds in byte kRoundsAt.
template <class C, class = void>
struct HasAesRounds : std::false_type {};
template <class C>
struct HasAesRounds<C, std::void_t<decltype(C::kAesRounds)>> : std::bool_constant<C::kAesRounds> {};

// Whether every byte of the block passes an S-box in each of some layers, and nothing moves between
// blocks otherwise. box_layers(rk) is then their number. A backend whose boxes leave the blocks of
// a vector in another order can let them lie so from layer to layer.
template <class C, class = void>
struct BoxLayers : std::false_type {};
template <class C>
struct BoxLayers<C, std::void_t<decltype(C::kBoxLayers)>> : std::bool_constant<C::kBoxLayers> {};

// Whether encrypt() is open(x, rk), the first rounds without a loop, and then rest(x, rk). Counter
// blocks have most words in common, and a backend may compute what comes of those alone once.
template <class C, class = void>
struct Opens : std::false_type {};
template <class C>
struct Opens<C, std::void_t<decltype(C::kOpens)>> : std::bool_constant<C::kOpens> {};

// Whether a backend with so many vector registers decrypts many blocks as it encrypts, with other
// round keys: decryption_keys<R>(rk, out) makes them, of the size of the schedule.
template <class C, class = void>
struct DecryptsByKeys {
  static constexpr bool on(unsigned) { return false; }
};
template <class C>
struct DecryptsByKeys<C, std::void_t<decltype(C::decrypts_by_keys(16))>> {
  static constexpr bool on(unsigned registers) { return C::decrypts_by_keys(registers); }
};

// Whether there is a form of the rounds for one block of 16 bytes in one vector
// (kernels/cpu/simd/row.h): encrypt_row(x, keys) and decrypt_row(x, keys).
template <class C, class = void>
struct HasRows : std::false_type {};
template <class C>
struct HasRows<C, std::void_t<decltype(C::kRows)>> : std::bool_constant<C::kRows> {};
// Whether it has CBC encryption of its own for that form: chain_rows(chain, keys, blocks, text),
// which takes text.in(i) and gives text.out(i, x), and returns the last block.
template <class C, class = void>
struct HasRowChain : std::false_type {};
template <class C>
struct HasRowChain<C, std::void_t<decltype(C::kRowChain)>> : std::bool_constant<C::kRowChain> {};

// The rounds for many blocks on a backend whose boxes are instructions, where the cipher has others
// for it: a struct like Core, C::OnBoxes<whether the CPU has GFNI, how many vector registers>. Its
// keys may be not the schedule but what prepare<R>(schedule, decrypts, words) makes of it,
// kPreparedWords of 32 bits; decryption is then encryption with other ones. R is a vector of 16
// bytes (kernels/cpu/simd/row.h).
template <class C, bool Gfni, unsigned Registers, class = void>
struct OnBoxes {
  using Type = C;
};
template <class C, bool Gfni, unsigned Registers>
struct OnBoxes<C, Gfni, Registers, std::void_t<typename C::template OnBoxes<Gfni, Registers>>> {
  using Type = typename C::template OnBoxes<Gfni, Registers>;
};
template <class C, class = void>
struct PreparesKeys : std::false_type {};
template <class C>
struct PreparesKeys<C, std::void_t<decltype(C::kPreparedWords)>> : std::true_type {};

// Whether encrypt() of those rounds is open(x, rk), the first ones without a loop, and then rest(x,
// rk), and vary(x, last, rk) makes of what open() makes of blocks whose last byte is zero what it
// makes of the same blocks with `last`. Then opens_turned(j) says whether boxes out of AES's have
// given the blocks of word j another order by ShiftRows once. A backend looks open() of counter
// blocks up, which have their other bytes in common (kernels/cpu/simd/periods.h).
template <class C, class = void>
struct OpensByPeriods : std::false_type {};
template <class C>
struct OpensByPeriods<C, std::void_t<decltype(C::opens_turned(0))>> : std::true_type {};

// The rounds of a cipher, where its key sizes share them: a struct Core with Word, kWords,
// kRoundKeyWords, encrypt and decrypt, which finds the number of rounds in the schedule. Code that
// needs no more is then made once for all key sizes.
template <class C, class = void>
struct CoreOf {
  using Type = C;
};
template <class C>
struct CoreOf<C, std::void_t<typename C::Core>> {
  using Type = typename C::Core;
};

// Whether the bytes of a word in a block and in a key are most significant first.
template <class C, class = void>
struct BigEndian : std::false_type {};
template <class C>
struct BigEndian<C, std::void_t<decltype(C::kBigEndian)>> : std::bool_constant<C::kBigEndian> {};

// Whether the cipher is there for the sake of old data alone, and offered only to who asks for it.
template <class C, class = void>
struct IsLegacy : std::false_type {};
template <class C>
struct IsLegacy<C, std::void_t<decltype(C::kLegacy)>> : std::bool_constant<C::kLegacy> {};

// Whether generators over the cipher are offered.
template <class C, class = void>
struct HasGenerator : std::true_type {};
template <class C>
struct HasGenerator<C, std::void_t<decltype(C::kGenerator)>> : std::bool_constant<C::kGenerator> {};

template <class C>
struct BlockBytes {
  static constexpr std::size_t kValue = C::kWords * sizeof(typename C::Word);
  static_assert((kValue & (kValue - 1)) == 0 && kValue >= 8 && kValue <= 128,
                "a block has 8, 16, 32, 64 or 128 bytes");
};
// The key sizes of a cipher that has a range of them, any number of bytes from kLeastKeyBytes to
// kMostKeyBytes; kKeyBytes is then what it takes where nobody says otherwise. Its expand() takes
// the number after the key.
template <class C, class = void>
struct KeyRange {
  static constexpr bool kIsRange = false;
  static constexpr std::size_t kLeast = C::kKeyBytes;
  static constexpr std::size_t kMost = C::kKeyBytes;
};
template <class C>
struct KeyRange<C, std::void_t<decltype(C::kLeastKeyBytes), decltype(C::kMostKeyBytes)>> {
  static constexpr bool kIsRange = true;
  static constexpr std::size_t kLeast = C::kLeastKeyBytes;
  static constexpr std::size_t kMost = C::kMostKeyBytes;
  static_assert(kLeast <= C::kKeyBytes && C::kKeyBytes <= kMost, "the usual size is in the range");
};

// Bytes of the tweak of a cipher that has one. Its expand() takes a tweak of zeros, and its
// set_tweak(tweak, round_keys) puts another in the place of the one that they have.
template <class C, class = void>
struct Tweak {
  static constexpr std::size_t kBytes = 0;
};
template <class C>
struct Tweak<C, std::void_t<decltype(C::kTweakBytes)>> {
  static constexpr std::size_t kBytes = C::kTweakBytes;
};
template <class C>
struct TweakBytes {
  static constexpr std::size_t kValue = Tweak<C>::kBytes;
};

template <class C>
struct KeyBytes {
  static constexpr std::size_t kValue = KeyRange<C>::kMost;
};
template <class C>
struct ScheduleBytes {
  static constexpr std::size_t kValue = C::kRoundKeyWords * sizeof(typename C::Word);
};

// The round keys of cipher C, of its size. A RoundKeys (registry.h) begins with the same words.
template <class C>
struct alignas(64) Schedule {
  typename C::Word words[C::kRoundKeyWords];
};

// How many vectors of a backend hold one word of a cipher at a time: independent work, which hides
// the latency of a cipher's chain, but each word of each wants a register. A definition may have a
// measured exception as groups(registers, whether the CPU has GFNI).
template <class C, class = void>
struct Groups {
  static constexpr unsigned of(unsigned registers, bool) {
    const unsigned fit = registers / 2 / C::kWords;
    return fit == 0 ? 1 : fit;
  }
};
template <class C>
struct Groups<C, std::void_t<decltype(C::groups(16, false))>> {
  static constexpr unsigned of(unsigned registers, bool gfni) { return C::groups(registers, gfni); }
};

// The same for decryption: a definition whose rounds of decryption wait for each other more than
// those of encryption may have decryption_groups(registers).
template <class C, class = void>
struct DecryptionGroups : Groups<C> {};
template <class C>
struct DecryptionGroups<C, std::void_t<decltype(C::decryption_groups(16))>> {
  static constexpr unsigned of(unsigned registers, bool) { return C::decryption_groups(registers); }
};

constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }

// Ciphers as a list of types.
template <class... C>
struct CipherList {
  static constexpr std::size_t kCount = sizeof...(C);

  template <class One>
  static constexpr bool has() {
    return (std::is_same_v<C, One> || ...);
  }

  template <template <class> class Fact>
  static constexpr std::size_t max() {
    std::size_t most = 0;
    ((most = larger(most, Fact<C>::kValue)), ...);
    return most;
  }
};

template <class... Lists>
struct Joined;
template <class... C>
struct Joined<CipherList<C...>> {
  using Type = CipherList<C...>;
};
template <class... A, class... B, class... Rest>
struct Joined<CipherList<A...>, CipherList<B...>, Rest...> {
  using Type = typename Joined<CipherList<A..., B...>, Rest...>::Type;
};

}  // namespace gpuctr

#endif
