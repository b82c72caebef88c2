// Counter mode, as EVP has it. It owns the logical position; the bulk engine makes the keystream.
#ifndef GPUCTR_PROVIDER_MODE_CTR_CTR_H
#define GPUCTR_PROVIDER_MODE_CTR_CTR_H

#include <cstring>
#include <memory>

#include "provider/mode/base/cipher_context.h"
#include "provider/mode/keystream/counter_field.h"
#include "provider/mode/keystream/ready_keystream.h"

namespace gpuctr {

// n bytes of counter mode: what is ready of them, whole blocks, a part of one more.
struct CtrSplit {
  std::size_t head;
  std::size_t body;
  std::size_t tail;
};

// The position in the sequence of counter blocks, but for the counter itself, and the counter's
// width: what inits, parameters and updates move.
struct CtrSettings {
  explicit CtrSettings(CounterField field) : field_(field) {}

  // The logical position: the next counter block, and what is used of the block before it.
  CounterField field_;
  unsigned num_ = 0;
  std::uint64_t blocks_used_ = 0;  // counter blocks since the IV or the counter was set
  bool lent_ = false;
  std::uint8_t noted_[kMaxBlockIv] = {};  // what is lent of the counter, as CtrContext left it
};

// A new IV starts a new sequence; an init without one goes on with the next counter block, as
// OpenSSL's does, and no counter comes twice.
class CtrContext final : public CipherContext, private CtrSettings {
 public:
  CtrContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher);
  // A copy of everything but the pipes; nothing read ahead is copied.
  CtrContext(const ContextMemory& memory, const CtrContext& other);
  ~CtrContext() override;
  // Three blocks: counter_, in_use_ and what ready_ begins with.
  static std::size_t memory_bytes(const CipherSpec& cipher) { return 3 * cipher.block_bytes; }

  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;
  Pipeline* pipeline() override;

  const std::uint8_t* updated_iv() const override { return counter_ + before_iv(); }
  std::uint8_t* lend_iv() override;
  unsigned num() const override { return num_; }
  const char* backend() const override;

  bool all_or_nothing(Step& step) override;

  bool set_num(std::uint64_t used);
  bool set_counter_bits(std::uint64_t bits);
  unsigned counter_bits() const { return field_.bits(); }

 private:
  // Updates up to this size come out of ready_ once others of the IV have gone before, and out of
  // one call of the cipher otherwise.
  static constexpr std::size_t kSmall = ReadyKeystream::kMaxRest;
  // First data of an IV up to this size takes the short way; more begins a sequence that a card may
  // come to serve.
  static constexpr std::size_t kSmallFirst = 1024;
  // What is made ready at once until an IV has given so much: one narrow batch of most backends.
  static constexpr std::size_t kFirstAhead = 256;

  friend class Pipeline;  // makes the bodies of several contexts as one job

  void set_position(bool new_key, bool new_iv) override;
  void begin(bool new_key, bool new_iv) override;
  CipherContext* copy() const override;
  void take_key_and_settings(const CtrContext& other);
  bool is_small_first(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                      std::size_t n);
  bool check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                    std::size_t n) const;
  bool check_counter(std::size_t n) const {
    const std::uint64_t blocks = new_blocks(n);
    const std::uint64_t left = field_.blocks_per_iv() - blocks_used_;
    return blocks <= left || refuse_counter(n, blocks, left);
  }
  bool refuse_counter(std::size_t n, std::uint64_t blocks, std::uint64_t left) const;
  void count_update(std::size_t n);

  bool is_on_card(const std::uint8_t* out, const std::uint8_t* in) {
    return stream_.is_device(out) || (in != out && stream_.is_device(in));
  }
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_host(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_small(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_once(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  CtrSplit split(std::size_t n) const;
  // Makes head and tail, and steps over the body, which is made.
  void make_ends(const CtrSplit& split, std::uint8_t* out, const std::uint8_t* in);
  bool make_run(std::uint8_t* at, std::size_t skip, std::uint8_t* out, const std::uint8_t* in,
                std::size_t n);
  void undo_run(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void use(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void step_over(std::size_t n);
  // The first counter block whose keystream is not ready.
  void first_not_ready(std::uint8_t* at) const {
    copy_block(at, counter_, block_bytes());
    const std::size_t rest = rest_of_block();
    if (ready_.size() != rest) field_.add(at, whole_blocks(ready_.size() - rest));
  }
  std::size_t bytes_ahead() const {
    const bool many = whole_blocks(kFirstAhead) <= blocks_used_;
    return many ? ReadyKeystream::kMaxMore : kFirstAhead;
  }
  bool make_ready();
  void make_block(const std::uint8_t* at);
  void make_rest();
  void block_in_use(std::uint8_t* at) const;

  // A lent counter: settle before it is used, note after it moved.
  void settle_counter() {
    if (lent_) take_written_counter();
  }
  void note_counter() {
    if (lent_) std::memcpy(noted_, counter_ + before_iv(), iv_bytes());
  }
  void take_written_counter();
  // Whether counter_ was written after the block in use began, so that it is not the one after it.
  bool counter_is_apart() const { return num_ != 0 && blocks_used_ == 0; }

  // Bytes of the counter block before the IV.
  std::size_t before_iv() const { return block_bytes() - iv_bytes(); }
  // Whole or begun.
  std::size_t blocks_of(std::size_t bytes) const { return whole_blocks(bytes + block_bytes() - 1); }
  std::size_t rest_of_block() const { return num_ == 0 ? 0 : block_bytes() - num_; }
  // Counter blocks that the next n bytes begin.
  std::uint64_t new_blocks(std::size_t n) const {
    const std::size_t rest = rest_of_block();
    return n <= rest ? 0 : whole_blocks(n - rest - 1) + 1;
  }

  // What an update moves.
  struct Position {
    unsigned num;
    std::uint64_t blocks_used;
    std::uint8_t counter[kMaxBlockBytes];
  };
  void position(Position* now) const;
  void go_to(const Position& position);
  void undo_update(const Position& before, std::uint8_t* out, const std::uint8_t* in,
                   std::size_t n);

  const CipherOps& ops_;
  // Of a block each, behind the context.
  std::uint8_t* const counter_;  // the next block of the sequence
  std::uint8_t* const in_use_;   // num_'s block, if counter_is_apart()
  // The rest of the block that num_ is about, then whole blocks from counter_ on.
  ReadyKeystream ready_;
  BulkStream stream_;

  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace gpuctr

#endif
