// Read-ahead: a device makes the keystream of a context's next updates, so that updates of 4 KiB
// become bulk work.
#ifndef GPUCTR_KERNELS_BULK_READ_AHEAD_H
#define GPUCTR_KERNELS_BULK_READ_AHEAD_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/bulk/base/stats.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr::bulk {

// Two windows, each one slot of the ring, that take turns. Owns the slots until drop(). Keeps no
// key: the caller passes the same key until the windows are dropped. One thread at a time.
class ReadAhead {
 public:
  // Both windows together hold at most `most` bytes.
  ReadAhead(Shared* shared, Report* report, std::size_t most);
  ~ReadAhead() { drop(); }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Starts windows from the counter block on. False: no slot is free, or the device failed.
  bool begin(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter);

  // The next n bytes of the sequence; their counter block is `counter`. They come from the windows,
  // or from the CPU if a window is not ready, was taken over or failed. *by_device: whether the
  // last part came from a window. False: the windows are gone, and the caller must call begin()
  // again; the bytes are right in either case.
  bool use(const CipherSpec& cipher, const CipherOps& cpu, const RoundKeys& keys,
           const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out, std::size_t n,
           bool* by_device);

  // Whether `counter` is the block at which use() continues.
  bool is_next(const CipherSpec& cipher, const std::uint8_t* counter) const {
    return std::memcmp(next_, counter, cipher.block_bytes) == 0;
  }

  // Steps over n bytes, whole blocks, that the caller made itself.
  bool skip(const CipherSpec& cipher, const RoundKeys& keys, std::size_t n);

  // Wipes the windows and frees their slots. In a forked child the slots are the parent's, so the
  // windows are only forgotten.
  void drop();

 private:
  struct Window {
    Slot* slot = nullptr;
    std::uint64_t ticket = 0;
    std::size_t bytes = 0;  // keystream launched into it
    std::size_t used = 0;   // of those bytes, how many were used
    bool ready = false;
  };

  bool mine() const;
  bool fill(Window* window, const CipherSpec& cipher, const RoundKeys& keys);
  bool advance(const CipherSpec& cipher, const RoundKeys& keys, std::size_t n);
  bool ready(Window* window, bool* failed);
  bool from_window(Window* w, const std::uint8_t* in, std::uint8_t* out, std::size_t n,
                   bool* failed);
  void release(Window* window);

  Shared* const shared_;
  Report* const report_;
  const std::size_t most_;        // bytes of one window
  std::size_t grow_;              // size of the next window
  std::uint64_t refused_ = 0;     // refusals of the ring when the windows were taken
  std::uint64_t held_bytes_ = 0;  // bytes made since then
  unsigned current_ = 0;
  Window windows_[2];
  std::uint8_t next_[kMaxBlockBytes] = {};  // counter block of the next byte
  std::uint8_t end_[kMaxBlockBytes] = {};   // counter block after the last window
};

}  // namespace gpuctr::bulk

#endif
