// The text of a message, built without memory from the heap.
#ifndef GPUCTR_PROVIDER_CORE_SHORT_TEXT_H
#define GPUCTR_PROVIDER_CORE_SHORT_TEXT_H

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace gpuctr {

// Up to 255 characters; longer text is truncated.
class ShortText {
 public:
  ShortText(const char* text = "") { *this += text; }  // from a literal: not explicit
  explicit ShortText(std::uint64_t number) {
    std::snprintf(text_, sizeof text_, "%" PRIu64, number);
  }
  ShortText& operator+=(const char* text) {
    while (text_[used_] != '\0') ++used_;
    while (*text != '\0' && used_ + 1 < sizeof text_) text_[used_++] = *text++;
    return *this;
  }
  ShortText& operator+=(char letter) {
    const char text[] = {letter, '\0'};
    return *this += text;
  }
  const char* c_str() const { return text_; }

 private:
  char text_[256] = {};
  std::size_t used_ = 0;
};

inline ShortText operator+(ShortText a, const ShortText& b) { return a += b.c_str(); }

}  // namespace gpuctr

#endif
