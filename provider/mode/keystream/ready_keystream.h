// Keystream that a context has made and not used yet: the rest of the block in use, and, where
// small updates follow one another, some blocks more. A batch of a SIMD backend takes as long for
// one block as for all it holds, so one batch serves many small updates.
//
// Secret. Each byte is given out once and wiped with that; what is left is wiped by clear() and at
// the end.
#ifndef GPUCTR_PROVIDER_MODE_KEYSTREAM_READY_KEYSTREAM_H
#define GPUCTR_PROVIDER_MODE_KEYSTREAM_READY_KEYSTREAM_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/base/wipe.h"

namespace gpuctr {

// One context's; one thread at a time.
class ReadyKeystream {
 public:
  // The most that may be ready when more is added, and the most to add, bytes.
  static constexpr std::size_t kMaxRest = 256;
  static constexpr std::size_t kMaxMore = 1024;

  // `own`, own_bytes, outlives this object and holds the rest of a block. More is allocated when it
  // is needed.
  ReadyKeystream(std::uint8_t* own, std::size_t own_bytes) : bytes_(own), capacity_(own_bytes) {}
  ReadyKeystream(const ReadyKeystream&) = delete;
  ReadyKeystream& operator=(const ReadyKeystream&) = delete;
  ~ReadyKeystream() {
    clear();
    std::free(allocated_);
  }

  std::size_t size() const { return end_ - at_; }

  // Room for n bytes, at most kMaxMore, behind those that are ready, at most kMaxRest. They count
  // from add() on. nullptr: no memory, and nothing has changed. Where nothing is ready, there is
  // always room for own_bytes.
  std::uint8_t* room(std::size_t n) {
    if (size() + n > capacity_) {
      if (!grow(size() + n)) return nullptr;
    } else if (end_ + n > capacity_) {
      move_to(bytes_);
    }
    return bytes_ + end_;
  }
  void add(std::size_t n) { end_ += n; }

  // XORs the next n bytes, at most size(), onto `in` and forgets them. in == out is fine.
  void use(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    use_up(bytes_ + at_, out, in, n);
    at_ += n;
  }
  // The same of keystream elsewhere.
  static void use_up(std::uint8_t* keystream, std::uint8_t* out, const std::uint8_t* in,
                     std::size_t n) {
    for (; n >= 16; n -= 16) use_part<Vector>(out, in, keystream);
    if (n >= 8) {
      use_part<std::uint64_t>(out, in, keystream);
      n -= 8;
    }
    for (; n != 0; --n) {
      *out++ = static_cast<std::uint8_t>(*in++ ^ *keystream);
      wipe(keystream++, 1);
    }
  }

  // Wipes n bytes, at most size(), that are not used.
  void skip(std::size_t n) {
    wipe(bytes_ + at_, n);
    at_ += n;
  }

  // Wipes all behind the first n bytes, at most size().
  void keep(std::size_t n) {
    wipe(bytes_ + at_ + n, size() - n);
    end_ = at_ + n;
  }

  void clear() {
    if (size() != 0) keep(0);
  }

  // n bytes of keystream that was made elsewhere, at most own_bytes; nothing is ready.
  void fill(const std::uint8_t* keystream, std::size_t n) {
    at_ = 0;
    end_ = n;
    std::memcpy(bytes_, keystream, n);
  }

  // The first n bytes, at most size() and at most own_bytes, of another's; nothing is ready here.
  void copy(const ReadyKeystream& other, std::size_t n) { fill(other.bytes_ + other.at_, n); }

 private:
  // What is allocated: enough for the first keystream that is made ahead, or for any.
  static constexpr std::size_t kSome = 512;
  static constexpr std::size_t kMost = kMaxRest + kMaxMore;

  // One register. GCC 13 would keep an array of two words on the stack, where it is not wiped.
  typedef std::uint64_t Vector __attribute__((vector_size(16)));

  template <class Part>
  static void use_part(std::uint8_t*& out, const std::uint8_t*& in, std::uint8_t*& keystream) {
    Part data, key;
    std::memcpy(&data, in, sizeof data);
    std::memcpy(&key, keystream, sizeof key);
    wipe(keystream, sizeof key);
    data ^= key;
    std::memcpy(out, &data, sizeof data);
    out += sizeof data;
    in += sizeof data;
    keystream += sizeof data;
  }

  // What is ready to the beginning of `memory`, which may be the present memory.
  void move_to(std::uint8_t* memory) {
    const std::size_t n = size();
    if (n != 0) {
      std::memmove(memory, bytes_ + at_, n);
      if (memory != bytes_) {
        wipe(bytes_ + at_, n);
      } else {
        wipe(bytes_ + n, end_ - n);
      }
    }
    bytes_ = memory;
    at_ = 0;
    end_ = n;
  }

  bool grow(std::size_t bytes) {
    const std::size_t capacity = bytes <= kSome ? kSome : kMost;
    auto* const memory = static_cast<std::uint8_t*>(std::malloc(capacity));
    if (memory == nullptr) return false;
    move_to(memory);
    std::free(allocated_);
    allocated_ = memory;
    capacity_ = capacity;
    return true;
  }

  std::uint8_t* bytes_;
  std::uint8_t* allocated_ = nullptr;
  std::size_t capacity_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace gpuctr

#endif
