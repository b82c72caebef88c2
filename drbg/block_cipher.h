// What CTR_DRBG asks of a block cipher: Block_Encrypt of SP 800-90A 10.3, and keystream.
#ifndef GPUCTR_DRBG_BLOCK_CIPHER_H
#define GPUCTR_DRBG_BLOCK_CIPHER_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/bulk/engine.h"
#include "kernels/cipher/registry.h"

namespace gpuctr::drbg {

// Immutable after construction; all functions may be called from any thread and leave no secret
// behind them. Sizes in bytes.
class BlockCipher {
 public:
  // `strength_bits` is the security strength that the cipher supports, as in table 3 of SP 800-90A.
  // The sizes are at most kMaxBlockBytes and kMaxKeyBytes: a generator's buffers are as large as the
  // ciphers of the build need.
  BlockCipher(std::size_t block_bytes, std::size_t key_bytes, unsigned strength_bits)
      : block_bytes_(block_bytes), key_bytes_(key_bytes), strength_bits_(strength_bits) {}
  virtual ~BlockCipher() = default;
  BlockCipher(const BlockCipher&) = delete;
  BlockCipher& operator=(const BlockCipher&) = delete;

  std::size_t block_bytes() const { return block_bytes_; }
  std::size_t key_bytes() const { return key_bytes_; }
  unsigned strength_bits() const { return strength_bits_; }

  // The key schedule of the key_bytes at `key`.
  virtual void expand(const std::uint8_t* key, RoundKeys* out) const = 0;

  // Block_Encrypt of each of `blocks` blocks, in host memory. in == out is allowed.
  virtual void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                       std::size_t blocks) const = 0;

  // n bytes of keystream in host memory, from the counter block at `counter` on.
  virtual void keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                         std::size_t n) const = 0;

  // The keystream of each segment, straight into its `out`, which the DRBG never touches itself: it
  // may be memory of a device. `in` is nullptr, and either `keys` is or `key`. False: nothing
  // usable was written.
  virtual bool output(const BulkSegment* segments, std::size_t count) const = 0;

  // Whether output() of n bytes to `out` is for more than the calling thread, which then makes the
  // most of it by many segments at once.
  virtual bool shares(const void*, std::size_t) const { return true; }
  // How many threads may call output() at once, the caller's included; 1: only the caller's.
  virtual unsigned threads() const { return 1; }
  // Whether output to this memory is a card's work whatever its requests are like: long jobs then.
  virtual bool for_card(const void*) const { return false; }

  // n bytes of keystream from `counter` on to `out`, in host memory that shares() says no to, and
  // to `seed` as many of the whole blocks that follow as hold a key and a block.
  virtual void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                    std::size_t n, std::uint8_t* seed) const;

  // Generate of 10.2.1.5.2 `count` times for n bytes each, without additional input, to `out`,
  // which shares() says no to. False: nothing was done, and steps do as well.
  virtual bool requests(std::uint8_t*, std::uint8_t*, std::uint8_t*, std::size_t,
                        std::size_t) const {
    return false;
  }

  // Generate of 10.2.1.5.2 `count` times but for the output, of which each makes `blocks` blocks,
  // without additional input: writes Key and first counter block of each output, and leaves in
  // `key` and `v` (key_bytes, block_bytes) those after the last. False: nothing was done, and steps
  // do as well.
  virtual bool chain(std::uint8_t*, std::uint8_t*, std::uint64_t, ChainLink*, std::size_t) const {
    return false;
  }

 private:
  std::size_t block_bytes_;
  std::size_t key_bytes_;
  unsigned strength_bits_;
};

inline void BlockCipher::step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                              std::size_t n, std::uint8_t* seed) const {
  keystream(keys, counter, out, n);
  std::uint8_t next[kMaxBlockBytes];
  std::memcpy(next, counter, block_bytes_);
  counter_add(next, block_bytes_, (n + block_bytes_ - 1) / block_bytes_);
  keystream(keys, next, seed, ((key_bytes_ + block_bytes_ - 1) / block_bytes_ + 1) * block_bytes_);
}

}  // namespace gpuctr::drbg

#endif
