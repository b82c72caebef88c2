// Counter mode, as EVP requires.
#ifndef GPUCTR_PROVIDER_MODE_CTR_CTR_H
#define GPUCTR_PROVIDER_MODE_CTR_CTR_H

#include <memory>

#include "provider/mode/base/cipher_context.h"
#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {

// A new IV starts a new sequence of counter blocks. An init without an IV continues with the next
// counter block, as in OpenSSL's ciphers, so no counter block is used twice.
class CtrContext final : public CipherContext {
 public:
  CtrContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher);
  // Copies everything except the pipes and keystream that was made ahead.
  CtrContext(const ContextMemory& memory, const CtrContext& other);
  ~CtrContext() override;
  static std::size_t memory_bytes(const CipherSpec& cipher) {
    return KeystreamCursor::replaceable_bytes(cipher.block_bytes);
  }

  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;
  Pipeline* pipeline() override;

  std::uint8_t* updated_iv(bool writable) override;
  unsigned num() const override { return cursor_.num(); }
  const char* backend() const override;

  bool all_or_nothing(Step& step) override;

  bool set_num(std::uint64_t used);
  bool set_counter_bits(std::uint64_t bits);
  unsigned counter_bits() const { return cursor_.field().bits(); }

 private:
  // The first data of an IV, up to this many bytes, is encrypted directly in crypt_short(). More
  // data begins a sequence that a device may later serve.
  static constexpr std::size_t kSmallFirst = 1024;

  // The position that an init and its parameters set. begin() moves the cursor to that position,
  // after the last step that may be refused.
  struct Move {
    bool to_iv = false;
    bool to_next_block = false;
    bool to_num = false;
    unsigned num = 0;
  };

  friend class Pipeline;  // processes the bodies of several contexts as one job

  void set_position(bool new_key, bool new_iv) override;
  void begin(bool new_key, bool new_iv) override;
  void describe_batch(bulk::Batch* batch) const override;
  CipherContext* copy() const override;
  void take_key_and_settings(const CtrContext& other);
  bool check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                    std::size_t n) const;
  bool check_counter(std::size_t n) const {
    return has_blocks(n, cursor_.new_blocks(n), cursor_.blocks_used());
  }
  bool has_blocks(std::size_t n, std::uint64_t blocks, std::uint64_t used) const {
    const std::uint64_t left = cursor_.field().blocks_per_iv() - used;
    return blocks <= left || refuse_counter(n, blocks, left);
  }
  bool refuse_counter(std::size_t n, std::uint64_t blocks, std::uint64_t left) const;
  void count_update(std::size_t n) { count(n, is_served_by_device(stream_.served_by())); }

  bool crypt_short(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // Encrypts or decrypts a text of any size in any memory. False, with an error.
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n, bool device);
  void undo_update(const KeystreamCursor::Position& before, std::uint8_t* out,
                   const std::uint8_t* in, std::size_t n);

  // Copies the position to updated_iv_, which libcrypto reads by pointer. Once that IV is writable,
  // the application may also write it between two calls; read_written_iv() then applies it.
  void show_iv();
  void read_written_iv();
  void move();  // as move_ says

  const CipherOps& ops_;
  KeystreamCursor cursor_;
  BulkStream stream_;
  Move move_;
  bool iv_is_writable_ = false;
  std::uint8_t updated_iv_[kMaxBlockIv] = {};
  std::uint8_t shown_iv_[kMaxBlockIv] = {};  // updated_iv_ as show_iv() wrote it
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace gpuctr

#endif
