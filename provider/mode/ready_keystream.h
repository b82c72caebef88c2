// Keystream that a context has made and not used yet: the rest of the block in use, and, where
// small updates follow one another, some blocks more. A batch of a SIMD backend takes as long for
// one block as for all it holds, so one batch serves many small updates.
//
// Secret. Each byte is given out once and wiped with that; what is left is wiped by clear() and at
// the end.
#ifndef GPUCTR_PROVIDER_MODE_READY_KEYSTREAM_H
#define GPUCTR_PROVIDER_MODE_READY_KEYSTREAM_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/wipe.h"

namespace gpuctr {

// One context's; one thread at a time.
class ReadyKeystream {
 public:
  // The most that may be ready when more is added, and the most to add, bytes.
  static constexpr std::size_t kMaxRest = 256;
  static constexpr std::size_t kMaxMore = 1024;

  ReadyKeystream() = default;
  ReadyKeystream(const ReadyKeystream&) = delete;
  ReadyKeystream& operator=(const ReadyKeystream&) = delete;
  ~ReadyKeystream() { clear(); }

  std::size_t size() const { return end_ - at_; }

  // Room for up to kMaxMore bytes behind those that are ready, at most kMaxRest. They count from
  // add() on.
  std::uint8_t* room() {
    const std::size_t rest = size();
    if (end_ != kMaxRest && rest != 0) {
      std::uint8_t kept[kMaxRest];
      std::memcpy(kept, bytes_ + at_, rest);
      clear();
      std::memcpy(bytes_ + kMaxRest - rest, kept, rest);
      wipe(kept, rest);
    }
    at_ = kMaxRest - rest;
    end_ = kMaxRest;
    return bytes_ + kMaxRest;
  }
  void add(std::size_t n) { end_ += n; }

  // XORs the next n bytes, at most size(), onto `in` and forgets them. in == out is fine.
  void use(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    std::uint8_t* keystream = bytes_ + at_;
    at_ += n;
    for (; n >= 16; n -= 16) use_part<Words<2>>(out, in, keystream);
    if (n >= 8) {
      use_part<Words<1>>(out, in, keystream);
      n -= 8;
    }
    for (; n != 0; --n) {
      *out++ = static_cast<std::uint8_t>(*in++ ^ *keystream);
      wipe(keystream++, 1);
    }
  }

  // Wipes n bytes, at most size(), that nobody is to have.
  void skip(std::size_t n) {
    wipe(bytes_ + at_, n);
    at_ += n;
  }

  // Wipes all behind the first n bytes, at most size().
  void keep(std::size_t n) {
    wipe(bytes_ + at_ + n, size() - n);
    end_ = at_ + n;
  }

  void clear() { keep(0); }

  // The first n bytes, at most size(), of another's; this one has none.
  void copy(const ReadyKeystream& other, std::size_t n) {
    at_ = kMaxRest - n;
    end_ = kMaxRest;
    std::memcpy(bytes_ + at_, other.bytes_ + other.at_, n);
  }

 private:
  template <unsigned Count>
  struct Words {
    std::uint64_t w[Count];
  };

  template <class Part>
  static void use_part(std::uint8_t*& out, const std::uint8_t*& in, std::uint8_t*& keystream) {
    Part data, key;
    std::memcpy(&data, in, sizeof data);
    std::memcpy(&key, keystream, sizeof key);
    wipe(keystream, sizeof key);
    for (std::size_t i = 0; i < sizeof data / 8; ++i) data.w[i] ^= key.w[i];
    std::memcpy(out, &data, sizeof data);
    out += sizeof data;
    in += sizeof data;
    keystream += sizeof data;
  }

  std::size_t at_ = kMaxRest;
  std::size_t end_ = kMaxRest;
  alignas(64) std::uint8_t bytes_[kMaxRest + kMaxMore] = {};
};

}  // namespace gpuctr

#endif
