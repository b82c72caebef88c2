// Keystream that a context has made but not used: the rest of the block in use and, if small
// updates follow one another, some further blocks. A batch of a SIMD backend takes as long for one
// block as for a full batch. So one batch serves many small updates.
//
// Secret. Each byte is used once and wiped at its use. clear() and the destructor wipe the
// remaining bytes.
#ifndef GPUCTR_PROVIDER_MODE_KEYSTREAM_READY_KEYSTREAM_H
#define GPUCTR_PROVIDER_MODE_KEYSTREAM_READY_KEYSTREAM_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr {

// Belongs to one context; one thread at a time.
class ReadyKeystream {
 public:
  // kMaxRest: the most bytes that may be ready when room() is called. kMaxMore: the most bytes that
  // room() adds.
  static constexpr std::size_t kMaxRest = 256;
  static constexpr std::size_t kMaxMore = 1024;

  // `own`, own_bytes long, outlives this object and has room for the rest of a block. More memory
  // is allocated when it is needed.
  ReadyKeystream(std::uint8_t* own, std::size_t own_bytes) : bytes_(own), capacity_(own_bytes) {}
  ReadyKeystream(const ReadyKeystream&) = delete;
  ReadyKeystream& operator=(const ReadyKeystream&) = delete;
  ~ReadyKeystream() {
    clear();
    std::free(allocated_);
  }

  std::size_t size() const { return end_ - at_; }

  // Returns room for n bytes, at most kMaxMore, behind the ready bytes, at most kMaxRest. add()
  // makes the new bytes ready. nullptr: no memory, and nothing has changed. If no bytes are ready,
  // room for own_bytes is always available.
  std::uint8_t* room(std::size_t n) {
    if (size() + n > capacity_) {
      if (!grow(size() + n)) return nullptr;
    } else if (end_ + n > capacity_) {
      move_to(bytes_);
    }
    return bytes_ + end_;
  }
  void add(std::size_t n) { end_ += n; }

  // XORs the next n bytes, at most size(), onto `in` and wipes these bytes of keystream. in == out
  // is allowed.
  void use(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    use_up(bytes_ + at_, out, in, n);
    at_ += n;
  }
  // As use(), and then used(i, given, made) for each byte, its input and its output. For few bytes.
  template <class Used>
  void use_each(std::uint8_t* out, const std::uint8_t* in, std::size_t n, const Used& used) {
    std::uint8_t* const keystream = bytes_ + at_;
    for (std::size_t i = 0; i != n; ++i) {
      const std::uint8_t given = in[i];
      const auto made = static_cast<std::uint8_t>(given ^ keystream[i]);
      wipe(keystream + i, 1);
      out[i] = made;
      used(i, given, made);
    }
    at_ += n;
  }
  // As use(), with keystream from other memory.
  static void use_up(std::uint8_t* keystream, std::uint8_t* out, const std::uint8_t* in,
                     std::size_t n) {
    for (; n >= 16; n -= 16) use_part<Vector>(out, in, keystream);
    if (n >= 8) {
      use_part<std::uint64_t>(out, in, keystream);
      n -= 8;
    }
    for (; n != 0; --n) {
      // The analyzer does not know that as many bytes as size() says are there.
      *out++ = static_cast<std::uint8_t>(*in++ ^ *keystream);  // NOLINT(clang-analyzer-core.*)
      wipe(keystream++, 1);
    }
  }

  // Wipes the next n bytes, at most size(), without using them.
  void skip(std::size_t n) {
    wipe(bytes_ + at_, n);
    at_ += n;
  }

  // Keeps the first n bytes, at most size(), and wipes all bytes behind them.
  void keep(std::size_t n) {
    wipe(bytes_ + at_ + n, size() - n);
    end_ = at_ + n;
  }

  void clear() {
    if (size() != 0) keep(0);
  }

  // Copies n bytes, at most own_bytes, of keystream from other memory. No bytes are ready.
  void fill(const std::uint8_t* keystream, std::size_t n) {
    at_ = 0;
    end_ = n;
    std::memcpy(bytes_, keystream, n);  // NOLINT(clang-analyzer-core.NonNullParamChecker)
  }

  // Returns room for a block, whose bytes are ready then. No bytes are ready.
  std::uint8_t* start_block(std::size_t block_bytes) {
    at_ = 0;
    end_ = block_bytes;
    return bytes_;
  }

  // As fill(), with a block of which n bytes are used.
  void fill_rest(const std::uint8_t* keystream, std::size_t n, std::size_t block_bytes) {
    copy_block(bytes_, keystream, block_bytes);
    at_ = n;
    end_ = block_bytes;
  }

  // Copies the first n bytes of `other`, at most other.size() and at most own_bytes. No bytes are
  // ready here.
  void copy(const ReadyKeystream& other, std::size_t n) { fill(other.bytes_ + other.at_, n); }

 private:
  // The two sizes of an allocation: kSome holds the first keystream that is made ahead, kMost holds
  // any.
  static constexpr std::size_t kSome = 512;
  static constexpr std::size_t kMost = kMaxRest + kMaxMore;

  // What use_part() takes at once, besides a word.
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

  // Moves the ready bytes to the beginning of `memory`, which may be the present memory.
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
