#include "provider/config/offer.h"

#include <strings.h>

#include <cstdio>
#include <cstring>

#include "provider/config/stock.h"
#include "provider/config/values.h"

namespace gpuctr {
namespace {

bool same(const char* name, const char* word) { return strcasecmp(name, word) == 0; }

void offer_cipher(std::size_t index, Offer* offer) {
  for (std::size_t m = 0; m < kModeCount; ++m) {
    offer->cipher[index][m] = kModes[m]->takes(cipher_spec(index));
  }
  offer->generator[index] = cipher_spec(index).generator_answer != nullptr;
  offer->stream[index] = has_stream(cipher_spec(index));
}

// Whether the word is the cipher's name followed by `end`.
bool is_algorithm(const char* word, const CipherSpec& spec, const char* end) {
  const std::size_t n = std::strlen(spec.name);
  return strncasecmp(word, spec.name, n) == 0 && same(word + n, end);
}

bool is_there(const CipherSpec& spec, bool legacy) { return legacy || !spec.legacy; }

// Offers the algorithms that OpenSSL's default provider lacks, and all generators: OpenSSL has no
// generator of these names.
void offer_own(bool legacy, Offer* offer) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (!is_there(spec, legacy)) continue;
    for (std::size_t m = 0; m < kModeCount; ++m) {
      if (kModes[m]->takes(spec) && !in_default_provider(spec, *kModes[m])) {
        offer->cipher[i][m] = true;
      }
    }
    if (spec.generator_answer != nullptr) offer->generator[i] = true;
    if (has_stream(spec)) offer->stream[i] = true;
  }
}

void offer_faster(bool legacy, const Backend& backend, Offer* offer) {
  offer_own(legacy, offer);
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    for (std::size_t m = 0; is_there(spec, legacy) && m < kModeCount; ++m) {
      if (kModes[m]->takes(spec) && is_faster(spec, *kModes[m], backend)) {
        offer->cipher[i][m] = true;
      }
    }
  }
}

// Offers the algorithms that the word names. False: the word names no algorithm.
bool offer_word(const char* word, bool legacy, const Backend& backend, Offer* offer) {
  if (same(word, "own")) return offer_own(legacy, offer), true;
  if (same(word, "faster")) return offer_faster(legacy, backend, offer), true;
  bool known = false;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (!is_there(spec, legacy)) continue;
    if (names_cipher(word, spec) || (spec.alias != nullptr && same(word, spec.alias))) {
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
    if (spec.generator_answer != nullptr && is_algorithm(word, spec, kRandSuffix)) {
      known = offer->generator[i] = true;
    }
    if (has_stream(spec) && is_algorithm(word, spec, kStreamSuffix)) {
      known = offer->stream[i] = true;
    }
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

bool parse_offer(const char* text, bool legacy, const Backend& backend, Offer* offer) {
  if (same(text, "all")) return *offer = offer_all(legacy), true;
  Offer made = {};
  for (;; ++text) {
    text += std::strspn(text, kListSpace);
    const std::size_t n = std::strcspn(text, ",");
    std::size_t end = n;
    while (end > 0 && std::strchr(kListSpace, text[end - 1]) != nullptr) --end;
    char word[64];
    if (end >= sizeof word) return false;
    std::memcpy(word, text, end);
    word[end] = '\0';
    if (!offer_word(word, legacy, backend, &made)) return false;
    text += n;
    if (*text == '\0') break;
  }
  *offer = made;
  return true;
}

}  // namespace gpuctr
