#include "provider/config/offer.h"

#include <strings.h>

#include <cstdio>
#include <cstring>

namespace gpuctr {
namespace {

bool same(const char* name, const char* word) { return strcasecmp(name, word) == 0; }

void offer_cipher(std::size_t index, Offer* offer) {
  for (std::size_t m = 0; m < kModeCount; ++m) {
    offer->cipher[index][m] = kModes[m]->takes(cipher_spec(index));
  }
  offer->generator[index] = cipher_spec(index).generator_answer != nullptr;
}

// "ARIA" of "ARIA-256".
bool is_family(const char* word, const char* name) {
  const std::size_t n = std::strlen(word);
  return strncasecmp(word, name, n) == 0 && name[n] == '-' && std::strchr(word, '-') == nullptr;
}

// Whether the word names the cipher with `end` behind it.
bool is_algorithm(const char* word, const CipherSpec& spec, const char* end) {
  const std::size_t n = std::strlen(spec.name);
  return strncasecmp(word, spec.name, n) == 0 && same(word + n, end);
}

bool is_there(const CipherSpec& spec, bool legacy) { return legacy || !spec.legacy; }

// False: the word names nothing.
bool offer_word(const char* word, bool legacy, Offer* offer) {
  bool known = false;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (!is_there(spec, legacy)) continue;
    if (same(word, spec.name) || is_family(word, spec.name) ||
        (spec.alias != nullptr && same(word, spec.alias))) {
      offer_cipher(i, offer);
      known = true;
    }
    for (std::size_t m = 0; m < kModeCount; ++m) {
      char end[16];
      std::snprintf(end, sizeof end, "-%s", kModes[m]->name);
      if (!kModes[m]->takes(spec) || !is_algorithm(word, spec, end)) continue;
      offer->cipher[i][m] = true;
      known = true;
    }
    if (spec.generator_answer == nullptr || !is_algorithm(word, spec, kRandSuffix)) continue;
    offer->generator[i] = true;
    known = true;
  }
  return known;
}

}  // namespace

Offer offer_all(bool legacy) {
  Offer offer = {};
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (is_there(cipher_spec(i), legacy)) offer_cipher(i, &offer);
  }
  return offer;
}

bool parse_offer(const char* text, bool legacy, Offer* offer) {
  Offer made = {};
  if (same(text, "all")) {
    made = offer_all(legacy);
  } else if (same(text, "own")) {
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      if (!spec.in_openssl && is_there(spec, legacy)) offer_cipher(i, &made);
    }
  } else {
    for (;;) {
      char word[64];
      const std::size_t n = std::strcspn(text, ",");
      if (n >= sizeof word) return false;
      std::memcpy(word, text, n);
      word[n] = '\0';
      if (!offer_word(word, legacy, &made)) return false;
      text += n;
      if (*text == '\0') break;
      ++text;
    }
  }
  *offer = made;
  return true;
}

}  // namespace gpuctr
