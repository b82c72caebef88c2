// The state behind one EVP_CIPHER_CTX, for every cipher and both modes.
#ifndef GPUCTR_PROVIDER_CIPHER_CTX_H
#define GPUCTR_PROVIDER_CIPHER_CTX_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/bulk.h"
#include "kernels/cipher/table.h"
#include "provider/context.h"
#include "provider/counter_field.h"

namespace gpuctr {

enum class Mode { kCtr, kEcb };

class Pipeline;

// n bytes of counter mode: the rest of the block in use, whole blocks, a part of one more.
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

  // nullptr keeps the key or IV of before. A new IV starts a new sequence.
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

  bool set_padding(std::uint64_t on);
  bool set_num(std::uint64_t used);
  bool set_counter_bits(std::uint64_t bits);
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
  friend class Pipeline;  // makes the bodies of several contexts as one job

  bool check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                    std::size_t n) const;
  bool check_counter(std::size_t n) const;
  bool check_ready(bool needs_iv) const;
  bool check_room(std::size_t room, std::size_t n) const;
  bool check_limit(std::size_t n) const;
  void count(std::size_t n);

  bool ctr_update(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool ctr_update_host(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool ctr_update_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  CtrSplit ctr_split(std::size_t n) const;
  // Steps over the body, which is made, and makes head and tail.
  void ctr_ends(const CtrSplit& split, std::uint8_t* out, const std::uint8_t* in);
  bool ctr_run(std::uint8_t* at, std::size_t skip, std::uint8_t* out, const std::uint8_t* in,
               std::size_t n);
  void ctr_undo(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void ctr_use_rest(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void ctr_start_block();

  // What an update moves.
  struct CtrPosition {
    unsigned num;
    std::uint64_t blocks_used;
    std::uint8_t counter[kMaxBlockBytes];
    std::uint8_t keystream[kMaxBlockBytes];
  };
  void position(CtrPosition* now) const;
  void ctr_take_back(const CtrPosition& before, std::uint8_t* out, const std::uint8_t* in,
                     std::size_t n);

  bool refuse_overlap(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  static bool overlaps_partly(const std::uint8_t* out, const std::uint8_t* in, std::size_t n);

  bool ecb_update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                  std::size_t n);
  bool ecb_final_encrypt(std::uint8_t* out, std::size_t* written, std::size_t room);
  bool ecb_final_decrypt(std::uint8_t* out, std::size_t* written, std::size_t room);
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
  std::uint64_t blocks_used_ = 0;  // counter blocks since the IV was set
  std::uint8_t iv_[kMaxBlockBytes] = {};
  std::uint8_t counter_[kMaxBlockBytes] = {};
  std::uint8_t keystream_[kMaxBlockBytes] = {};  // the block that num_ is about
  BulkStream stream_;

  // ECB: bytes that wait for a whole block.
  std::uint8_t pending_[kMaxBlockBytes] = {};
  std::size_t pending_bytes_ = 0;

  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace gpuctr

#endif
