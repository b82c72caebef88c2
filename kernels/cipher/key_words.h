// A key schedule on the abstract word (word.h):
//   expand_words(const K& key, const S& schedule)
// key(i) is word i of the key; schedule(i, word) takes round-key word i; schedule.same(c) is the
// public word c in every lane.
#ifndef GPUCTR_KERNELS_CIPHER_KEY_WORDS_H
#define GPUCTR_KERNELS_CIPHER_KEY_WORDS_H

#include "kernels/cipher/word.h"

namespace gpuctr {

// One key, and its schedule.
template <class T>
struct PlainKey {
  const std::uint8_t* bytes;
  GPUCTR_HD PlainWord<T> operator()(unsigned i) const {
    return {load_le<T>(bytes + sizeof(T) * i)};
  }
};
template <class T>
struct PlainSchedule {
  T* words;
  GPUCTR_HD static PlainWord<T> same(T c) { return {c}; }
  GPUCTR_HD void operator()(unsigned i, PlainWord<T> word) const { words[i] = word.v; }
};

}  // namespace gpuctr

#endif
