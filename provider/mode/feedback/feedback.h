// What CFB and OFB (SP 800-38A 6.3, 6.4) share: the input block and the calls of EVP.
#ifndef GPUCTR_PROVIDER_MODE_FEEDBACK_FEEDBACK_H
#define GPUCTR_PROVIDER_MODE_FEEDBACK_FEEDBACK_H

#include "kernels/base/inline.h"
#include "kernels/base/part_of_block.h"
#include "kernels/bulk/base/xor.h"
#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

struct FeedbackSettings {
  unsigned num_ = 0;  // see FeedbackContext::block_
  bool use_bits_ = false;
};

class FeedbackContext : public CipherContext, protected FeedbackSettings {
 public:
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;

  // As in OpenSSL's ciphers, a block in use is partly or wholly keystream.
  std::uint8_t* updated_iv(bool) override { return block_; }
  unsigned num() const override { return num_; }
  const char* backend() const override;

  bool all_or_nothing(Step& step) override;
  bool set_num(std::uint64_t used);
  // Whether the size of an update is a number of bits. For CFB1.
  bool set_use_bits(std::uint64_t on);

 protected:
  FeedbackContext(const ContextMemory& memory, const CipherServices& services,
                  const CipherSpec& cipher, const Mode& mode)
      : CipherContext(memory, services, cipher, mode),
        ops_(services.engine->cpu(cipher)),
        stream_(services.engine) {}
  FeedbackContext(const ContextMemory& memory, const FeedbackContext& other);
  ~FeedbackContext() override;

  // Encrypts or decrypts n bytes, or n bits with use_bits_; n is not 0. in == out is allowed.
  // False, where stream_.is_small(n) is not true: a device was required, none was available, and
  // nothing was written.
  virtual bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) = 0;
  // Whether crypt_on_device() takes n bytes in the present state.
  virtual bool takes_device_memory(std::size_t) const { return false; }
  // As crypt(), and one or both of the buffers are device memory. False: an error of the device.
  virtual bool crypt_on_device(std::uint8_t*, const std::uint8_t*, std::size_t) { return false; }

  // Encrypts block_ in place.
  void encrypt_block() { ops_.encrypt(keys_, block_, block_, 1); }

  const CipherOps& ops_;
  BulkStream stream_;
  // The next input of the block cipher. In CFB and OFB with num_ != 0, a block in use: the next
  // byte of data is XORed with its byte num_. In CFB the bytes before that are ciphertext.
  std::uint8_t block_[kMaxBlockBytes] = {};

 private:
  void set_position(bool, bool) override { num_ = 0; }
  void begin(bool new_key, bool new_iv) override;
  std::size_t bytes_of(std::size_t n) const { return use_bits_ ? n / 8 + (n % 8 != 0) : n; }
  bool check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                    std::size_t n, bool* device);
  // Not inline: the usual update needs fewer registers then.
  GPUCTR_NOINLINE bool update_any(std::uint8_t* out, std::size_t* written, std::size_t room,
                                  const std::uint8_t* in, std::size_t n);
};

// So few blocks are encrypted one by one: it would take longer to wipe a chain's output, which here
// is keystream.
constexpr std::size_t kFewBlocks = 3;

// out = made ^ in, n bytes, a multiple of 8; 16 bytes in one piece (copy_chain). in == out is
// allowed. From kLongXor bytes on, bulk::xor_keystream() is faster.
constexpr std::size_t kLongXor = 512;
inline void xor_blocks(const std::uint8_t* made, const std::uint8_t* in, std::uint8_t* out,
                       std::size_t n) {
  const std::size_t whole = n & ~std::size_t{15};
  for (std::size_t i = 0; i != whole; i += 16) {
    store_block(out + i, load_block(made + i) ^ load_block(in + i));
  }
  if (whole == n) return;
  std::uint64_t x, y;
  __builtin_memcpy(&x, made + whole, sizeof x);
  __builtin_memcpy(&y, in + whole, sizeof y);
  x ^= y;
  __builtin_memcpy(out + whole, &x, sizeof x);
}
inline void xor_pieces(const std::uint8_t* made, const std::uint8_t* in, std::uint8_t* out,
                       std::size_t n) {
  n < kLongXor ? xor_blocks(made, in, out, n) : bulk::xor_keystream(made, in, out, n, false);
}

extern const ContextParam kFeedbackParams[];

}  // namespace gpuctr

#endif
