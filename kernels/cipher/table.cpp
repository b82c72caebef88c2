#include "kernels/cipher/table.h"

#include <cstring>

namespace gpuctr {
namespace {

template <class C>
void expand(const std::uint8_t* key, RoundKeys* out) {
  static_assert(C::kRoundKeyWords * sizeof(typename C::Word) <= sizeof(out->bytes),
                "RoundKeys holds every schedule");
  static_assert(C::kKeyBytes <= kMaxKeyBytes, "kMaxKeyBytes covers every cipher");
  static_assert(C::kWords * sizeof(typename C::Word) <= kMaxBlockBytes, "kMaxBlockBytes too");
  C::expand(key, out->template words<typename C::Word>());
}

template <class C>
constexpr CipherSpec make_spec(std::size_t index) {
  return {index,
          C::kName,
          C::kAlias,
          C::kWords * sizeof(typename C::Word),
          C::kKeyBytes,
          C::kRounds,
          C::kRoundKeyWords * sizeof(typename C::Word),
          expand<C>};
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
