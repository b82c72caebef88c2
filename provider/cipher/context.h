// The state behind one EVP_CIPHER_CTX, for every cipher and both modes.
#ifndef GPUCTR_PROVIDER_CIPHER_CONTEXT_H
#define GPUCTR_PROVIDER_CIPHER_CONTEXT_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "kernels/bulk/engine.h"
#include "kernels/cipher/registry.h"
#include "provider/core/context.h"
#include "provider/mode/counter_field.h"
#include "provider/mode/ready_keystream.h"

namespace gpuctr {

enum class Mode { kCtr, kEcb };

class Pipeline;

// n bytes of counter mode: what is ready of them, whole blocks, a part of one more.
struct CtrSplit {
  std::size_t head;
  std::size_t body;
  std::size_t tail;
};

// One thread at a time, as EVP has it. Each function that fails leaves one error on OpenSSL's
// queue, has written no output, and leaves the context usable after a correct init.
class CipherContext {
 public:
  CipherContext(ProviderContext* provider, const CipherSpec& cipher, Mode mode);
  // A copy of everything but the pipes; nothing read ahead is copied.
  CipherContext(const CipherContext& other);
  CipherContext& operator=(const CipherContext&) = delete;
  ~CipherContext();

  // nullptr keeps the key or IV of before. A new IV starts a new sequence; without one counter mode
  // goes on with the next counter block, as OpenSSL's does, and no counter comes twice.
  bool init(bool encrypt, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
            std::size_t iv_bytes);
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n);
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room);
  // EVP_Cipher: whole blocks in ECB, any bytes in CTR; neither padding nor final.
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n);

  // The pipes of OpenSSL 3.5's pipeline functions, made at the first call; nullptr: no memory, and
  // an error on the queue.
  Pipeline* pipeline();
  // EVP_CIPHER_CTX_copy. nullptr: no memory, and an error on the queue.
  CipherContext* duplicate() const;

  // The counter block itself, for OpenSSL's EVP_CIPHER_CTX_iv_noconst(): its caller may write it
  // between any two calls, and the next data goes on from there.
  std::uint8_t* lend_counter();

  bool set_padding(std::uint64_t on);
  bool set_num(std::uint64_t used);
  bool set_counter_bits(std::uint64_t bits);
  // Takes the last set_counter_bits() back: to the width before it, with nothing between the two.
  void restore_counter_bits(unsigned bits) { field_ = CounterField(cipher_->block_bytes, bits); }
  bool set_max_bytes(std::uint64_t bytes);  // of one key; 0: no limit

  const CipherSpec& spec() const { return *cipher_; }
  Mode mode() const { return mode_; }
  ProviderContext* provider() const { return provider_; }
  std::size_t block_bytes() const { return cipher_->block_bytes; }
  std::size_t iv_bytes() const { return mode_ == Mode::kCtr ? cipher_->block_bytes : 0; }
  const std::uint8_t* iv() const { return iv_; }
  const std::uint8_t* counter() const { return counter_; }
  unsigned num() const { return num_; }
  bool padding() const { return padding_; }
  unsigned counter_bits() const { return field_.bits(); }
  std::uint64_t max_bytes() const { return max_bytes_; }
  // The machine of the last data, or the engine's choice for small data before any.
  const char* machine() const;

 private:
  // Updates up to this size come out of ready_ once others of the IV have gone before.
  static constexpr std::size_t kSmall = ReadyKeystream::kMaxRest;
  // What is made ready at once until an IV has given so much: one narrow batch of most machines.
  static constexpr std::size_t kFirstAhead = 256;

  friend class Pipeline;  // makes the bodies of several contexts as one job

  bool check_lengths(const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                     std::size_t iv_bytes) const;
  void take_key(const CipherContext& other);
  bool check_ctr_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                        std::size_t n) const;
  bool check_counter(std::size_t n) const;
  bool check_ready(bool needs_iv) const;
  bool check_room(std::size_t room, std::size_t n) const;
  bool check_limit(std::size_t n) const;
  void count(std::size_t n);

  bool ctr_update(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool ctr_update_host(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool ctr_update_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool ctr_update_small(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  CtrSplit ctr_split(std::size_t n) const;
  // Makes head and tail, and steps over the body, which is made.
  void ctr_ends(const CtrSplit& split, std::uint8_t* out, const std::uint8_t* in);
  bool ctr_run(std::uint8_t* at, std::size_t skip, std::uint8_t* out, const std::uint8_t* in,
               std::size_t n);
  void ctr_undo(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void ctr_use(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void ctr_not_ready(std::uint8_t* at) const;
  bool ctr_make_ready(std::size_t bytes);
  void ctr_make_block(const std::uint8_t* at);
  void ctr_make_rest();
  void ctr_block_in_use(std::uint8_t* at) const;

  // A lent counter: settle before it is used, note after it moved.
  void settle_counter() {
    if (lent_) take_written_counter();
  }
  void note_counter() {
    if (lent_) std::memcpy(noted_, counter_, sizeof noted_);
  }
  void take_written_counter();
  // Whether counter_ was written after the block in use began, so that it is not the one after it.
  bool counter_is_apart() const { return num_ != 0 && blocks_used_ == 0; }

  // A block is 8 or 16 bytes: shifts and masks, because a small update takes no longer than a few
  // divisions.
  std::size_t blocks_of(std::size_t bytes) const {
    const std::size_t block = cipher_->block_bytes;
    return (bytes + block - 1) >> __builtin_ctzll(block);
  }
  std::size_t rest_of_block() const { return num_ == 0 ? 0 : cipher_->block_bytes - num_; }
  // Counter blocks that the next n bytes begin.
  std::uint64_t new_blocks(std::size_t n) const {
    const std::size_t rest = rest_of_block();
    return n <= rest ? 0 : ((n - rest - 1) >> __builtin_ctzll(cipher_->block_bytes)) + 1;
  }

  // What an update moves.
  struct CtrPosition {
    unsigned num;
    std::uint64_t blocks_used;
    std::uint8_t counter[kMaxBlockBytes];
  };
  void position(CtrPosition* now) const;
  void go_to(const CtrPosition& position);
  void ctr_take_back(const CtrPosition& before, std::uint8_t* out, const std::uint8_t* in,
                     std::size_t n);

  bool refuse_overlap(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;

  bool ecb_update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                  std::size_t n);
  std::size_t ecb_ready(std::size_t n) const;
  bool check_ecb_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                        std::size_t n) const;
  bool ecb_final_encrypt(std::uint8_t* out, std::size_t* written, std::size_t room);
  bool ecb_final_decrypt(std::uint8_t* out, std::size_t* written, std::size_t room);
  bool ecb_unpad(const std::uint8_t* plain, std::size_t* size) const;
  void ecb_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks) const;

  ProviderContext* provider_;
  const CipherSpec* cipher_;
  Mode mode_;
  bool encrypt_ = true;
  bool has_key_ = false;
  bool has_iv_ = false;
  bool padding_ = true;
  RoundKeys keys_;
  std::uint64_t bytes_ = 0;      // since the key was set
  std::uint64_t max_bytes_ = 0;  // of one key; 0: no limit
  // For the trace: bytes of this context, and those of updates that a card served.
  std::uint64_t traced_ = 0;
  std::uint64_t by_card_ = 0;

  // CTR. The logical position: the next counter block, and what is used of the block before it.
  CounterField field_;
  unsigned num_ = 0;
  std::uint64_t blocks_used_ = 0;  // counter blocks since the IV or the counter was set
  std::uint8_t iv_[kMaxBlockBytes] = {};
  std::uint8_t counter_[kMaxBlockBytes] = {};
  bool lent_ = false;
  std::uint8_t noted_[kMaxBlockBytes] = {};   // counter_ as this class left it, where it is lent
  std::uint8_t in_use_[kMaxBlockBytes] = {};  // the block that num_ is about, if counter_is_apart()
  // The rest of the block that num_ is about, then whole blocks from counter_ on.
  ReadyKeystream ready_;
  BulkStream stream_;

  // ECB: bytes that wait for a whole block.
  std::uint8_t pending_[kMaxBlockBytes] = {};
  std::size_t pending_bytes_ = 0;

  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace gpuctr

#endif
