// What the modes of whole blocks share, as in OpenSSL's block modes: a buffer for pending bytes
// (input that does not yet fill a block) and PKCS#7 padding.
#ifndef GPUCTR_PROVIDER_MODE_BLOCK_BLOCK_H
#define GPUCTR_PROVIDER_MODE_BLOCK_BLOCK_H

#include "kernels/base/inline.h"
#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

class BlockContext : public CipherContext {
 public:
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;
  const char* backend() const override;

 protected:
  BlockContext(const ContextMemory& memory, const CipherServices& services,
               const CipherSpec& cipher, const Mode& mode)
      : CipherContext(memory, services, cipher, mode),
        ops_(services.engine->cpu(cipher)),
        stream_(services.engine) {}
  BlockContext(const ContextMemory& memory, const BlockContext& other);
  ~BlockContext() override;

  void begin(bool new_key, bool new_iv) override;

  // Encrypts or decrypts whole blocks, in the context's direction; in == out is allowed. A chaining
  // mode starts from chain_ and leaves the next chaining block in chain_. `device`: the result of
  // stream_.is_device(). False: a device was required, none was available, and nothing was written.
  virtual bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks,
                     bool device) = 0;
  // As crypt(), for so few blocks in ordinary memory that the calling thread processes them.
  virtual void crypt_small(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks) = 0;
  // Whether crypt() takes device memory in the present state.
  virtual bool takes_device_memory() const = 0;
  // Whether the key is set and, in a mode with an IV, the IV. False, with an error.
  bool check_set() const { return mode_->has_iv ? check_key_and_iv() : check_key(); }
  void count(std::size_t n) { CipherContext::count(n, is_served_by_device(stream_.served_by())); }
  // Calls BulkStream::blocks_in() with this cipher and key.
  bool blocks(BlockOperation operation, const std::uint8_t* before, std::uint8_t* out,
              const std::uint8_t* in, std::size_t count, bool device) {
    return stream_.blocks_in(device, *cipher_, keys_, operation, before, in, out, count) ==
           BulkStatus::kOk;
  }

  const CipherOps& ops_;
  BulkStream stream_;
  std::uint8_t chain_[kMaxBlockBytes] = {};  // the last block of ciphertext, or the IV

 private:
  bool update_held(std::uint8_t* out, std::size_t* written, std::size_t room,
                   const std::uint8_t* in, std::size_t n);
  // As update(), for whole blocks that only this thread works on.
  bool update_small(std::uint8_t* out, std::size_t* written, const std::uint8_t* in, std::size_t n);
  // Not inline: the usual update needs fewer registers then.
  GPUCTR_NOINLINE bool update_whole(std::uint8_t* out, std::size_t* written, const std::uint8_t* in,
                                    std::size_t n);
  GPUCTR_NOINLINE bool update_any(std::uint8_t* out, std::size_t* written, std::size_t room,
                                  const std::uint8_t* in, std::size_t n);
  std::size_t ready_bytes(std::size_t n) const;
  bool check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                    std::size_t n, std::size_t ready) const;
  // The CPU cannot access device memory. So data in device memory must be whole blocks. `whole`: no
  // bytes are pending and no block is kept back.
  bool check_memory(bool device, std::size_t n, bool whole) const {
    return !device || (whole && n % block_bytes() == 0 && takes_device_memory()) ||
           refuse_device_memory(n);
  }
  bool refuse_device_memory(std::size_t n) const;
  bool crypt_counted(std::uint8_t* out, std::size_t* written, const std::uint8_t* in, std::size_t n,
                     bool device);
  bool make_pending(std::uint8_t* out, const std::uint8_t* in, std::size_t ready);
  void forget_pending();
  void keep_pending(const std::uint8_t* in, std::size_t n);
  bool final_encrypt(std::uint8_t* out, std::size_t* written, std::size_t room);
  bool final_decrypt(std::uint8_t* out, std::size_t* written, std::size_t room);
  bool unpad(const std::uint8_t* plain, std::size_t* size) const;
  bool refuse_left_over() const;

  std::uint8_t pending_[kMaxBlockBytes] = {};
  std::size_t pending_bytes_ = 0;
};

}  // namespace gpuctr

#endif
