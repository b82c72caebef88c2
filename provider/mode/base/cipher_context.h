// The state behind one EVP_CIPHER_CTX that all modes share. Each mode in provider/mode/ derives its
// context from this class.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CIPHER_CONTEXT_H
#define GPUCTR_PROVIDER_MODE_BASE_CIPHER_CONTEXT_H

#include <openssl/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "kernels/base/counter.h"
#include "kernels/bulk/engine.h"
#include "kernels/cipher/registry.h"
#include "provider/core/core.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"
#include "provider/mode/base/batch.h"
#include "provider/mode/base/context_memory.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

class Pipeline;

// What all contexts of one provider instance share. The objects outlive the contexts.
struct CipherServices {
  const Core* core;
  Engine* engine;
  std::uint64_t max_bytes;  // limit per key where a context sets none; 0: no limit
};

// The longest IV, bytes, of a mode whose IV may be longer than a block: OpenSSL's GCM_IV_MAX_SIZE.
constexpr std::size_t kMaxIvBytes = 128;

// All values that inits and parameters set in every mode. Values computed from these (round keys,
// keystream) are not here. CipherContext::all_or_nothing() restores these values after a refused
// call. So a value that a call can set must be a member of this class, or of a class of settings
// that the mode restores.
struct CipherSettings {
  bool encrypt_ = true;
  bool has_key_ = false;
  bool has_iv_ = false;
  bool padding_ = true;
  // A parameter changed the position or the tweak: apply_settings() is due.
  bool position_is_new_ = false;
  bool tweak_is_new_ = false;
  bool iv_is_new_ = false;    // a parameter set an IV: apply_settings() is due
  Call call_ = Call::kOther;  // no setting; elsewhere it would take 8 bytes
  std::size_t key_bytes_ = 0;
  std::uint64_t bytes_ = 0;      // processed since the key was set
  std::uint64_t max_bytes_ = 0;  // of one key; 0: no limit
  std::uint8_t iv_[kMaxBlockIv] = {};
  std::uint8_t tweak_[kMaxTweakBytes + 1] = {};  // + 1: a build may have no cipher with a tweak
  std::uint8_t full_iv_bytes_ = 0;               // iv_bytes(): no setting, as call_
  // RC2's effective bits: those of the present key, at most 1024, and those set for later keys.
  std::uint16_t effective_bits_of_key_ = 0;
  unsigned effective_bits_ = 0;
};

// Key and IV of one init. nullptr: the context keeps its key or IV.
struct InitCall {
  bool encrypt;
  const std::uint8_t* key;
  std::size_t key_bytes;
  const std::uint8_t* iv;
  std::size_t iv_bytes;
};

// A step that may be refused.
struct Step {
  virtual bool run() = 0;

 protected:
  ~Step() = default;
};

// One thread at a time, as EVP requires. A function that fails leaves one error on OpenSSL's queue
// (exception: see refuse()) and sets *written to 0. After a failure, a correct init makes the
// context usable again.
class CipherContext : protected CipherSettings {
 public:
  CipherContext(const CipherContext&) = delete;
  CipherContext& operator=(const CipherContext&) = delete;
  virtual ~CipherContext();
  static void operator delete(void* context) { std::free(context); }
  // Size of ContextMemory::more, bytes. A mode that needs memory there hides this function with its
  // own.
  static std::size_t memory_bytes(const CipherSpec&) { return 0; }

  // Sets key, direction and IV, then the parameters; a refused call sets nothing. Each mode defines
  // the effect of an init without a new IV. Round keys are computed after all values are accepted.
  bool init(const InitCall& call, const OSSL_PARAM* params = nullptr);
  // The same with an IV only, not nullptr, as between two messages.
  virtual bool init_iv(bool encrypt, const std::uint8_t* iv, std::size_t iv_bytes) {
    return init({encrypt, nullptr, 0, iv, iv_bytes});
  }
  virtual bool update(std::uint8_t* out, std::size_t* written, std::size_t room,
                      const std::uint8_t* in, std::size_t n) = 0;
  virtual bool final(std::uint8_t* out, std::size_t* written, std::size_t room) = 0;
  // EVP_Cipher(): without padding and without a final.
  virtual bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) = 0;

  // For an update or an EVP_Cipher() in a context with batch_messages(): n bytes of texts. A
  // refused batch writes nothing. False also if tags are wrong; then the texts of all other
  // messages are written.
  bool update_batch(std::uint8_t* out, std::size_t* written, std::size_t room,
                    const std::uint8_t* in, std::size_t n);
  // The messages of an update; 0: an ordinary context.
  std::size_t batch_messages() const { return batch_ != nullptr ? batch_->messages : 0; }
  bool set_batch_messages(std::uint64_t count);
  BatchSettings::Array batch_array(BatchArray array) const;
  bool set_batch_array(BatchArray array, const std::uint8_t* data, std::size_t bytes);

  // Records which call begins: the reason codes of its errors depend on the call.
  void begin_call(Call call) { call_ = call; }
  // Puts one error of this context on the queue. Where OpenSSL's own cipher in this mode raises no
  // error, writes a line to the trace instead.
  void refuse(Reason reason, const char* format, ...) const __attribute__((format(printf, 3, 4)));

  // EVP_CIPHER_CTX_copy. nullptr: no memory, and an error on the queue.
  CipherContext* duplicate() const;
  // The pipes of OpenSSL 3.5's pipeline functions. The first call makes them. nullptr: no memory,
  // and an error on the queue; or the mode has no pipeline functions.
  virtual Pipeline* pipeline() { return nullptr; }

  // The IV from which the next data continues: the counter block, or the last block of ciphertext.
  // `writable`: for OpenSSL's EVP_CIPHER_CTX_iv_noconst(). Its caller may then write the IV between
  // any two later calls.
  virtual std::uint8_t* updated_iv(bool) { return iv_; }
  // The number of bytes of the current keystream block that are used.
  virtual unsigned num() const { return 0; }
  // The backend that processed the last data. Before any data: the engine's choice for small data.
  virtual const char* backend() const;
  const char* last_backend() const {
    return batch_messages() != 0 && batch_->backend != nullptr ? batch_->backend : backend();
  }

  // Runs the step. After a refusal all settings have their previous values. A mode with settings of
  // its own overrides this function to restore these settings too.
  virtual bool all_or_nothing(Step& step);
  // Completes a change of parameters: applies a new tweak to the round keys and makes the keystream
  // of a new position.
  void apply_settings();

  bool set_padding(std::uint64_t on) {
    padding_ = on != 0;
    return true;
  }
  // The effective key bits of later keys, as OpenSSL's RC2 takes them: any number; 0, and more than
  // 1024, act as 1024.
  bool set_effective_bits(std::uint64_t bits);
  unsigned effective_bits() const { return effective_bits_; }
  // Sets the IV as an init does. `iv` has iv_bytes() bytes.
  void set_iv(const std::uint8_t* iv);
  // Sets a tweak of CipherSpec::tweak_bytes bytes. The effect is that of an init with parameters
  // only. Every later key uses this tweak too.
  void set_tweak(const std::uint8_t* tweak);
  const std::uint8_t* tweak() const { return tweak_; }
  bool set_max_bytes(std::uint64_t bytes);  // of one key; 0: no limit

  const CipherSpec& spec() const { return *cipher_; }
  const Mode& mode() const { return *mode_; }
  const CipherServices& services() const { return services_; }
  std::size_t block_bytes() const { return cipher_->block_bytes; }
  // The length of the key, bytes: of the present key, or of the key that the next init sets.
  std::size_t key_bytes() const { return key_bytes_; }
  // False, with an error: the cipher has no keys of this size.
  bool set_key_bytes(std::uint64_t bytes);
  // The length, bytes, of an IV that fills a block, or the end of a block that begins with zeros.
  std::size_t iv_bytes() const { return full_iv_bytes_; }
  // The length of the next IV, bytes.
  virtual std::size_t iv_length() const { return iv_bytes(); }
  const std::uint8_t* iv() const { return iv_; }
  bool padding() const { return padding_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

 protected:
  // Only make_context() constructs contexts; `memory` comes from there.
  CipherContext(const ContextMemory& memory, const CipherServices& services,
                const CipherSpec& cipher, const Mode& mode);
  // Copies the state that all modes share.
  CipherContext(const ContextMemory& memory, const CipherContext& other);
  // Copies the round keys of another context of the same cipher, if `other` has a key.
  void copy_keys(const CipherContext& other);

  // Whether the mode takes an IV of this many bytes.
  virtual bool takes_iv_bytes(std::size_t bytes) const { return bytes == iv_bytes(); }
  // Stores an IV. The mode takes its length.
  virtual void take_iv(const std::uint8_t* iv, std::size_t bytes);
  // Whether the mode takes the key of an init, whose length is right. False, with an error.
  virtual bool takes_key(const InitCall&) const { return true; }
  // Computes the round keys of a new key of `bytes` bytes.
  virtual void expand(const std::uint8_t* key, std::size_t bytes);
  // Sets the mode's settings in an init. Key, direction and IV are already set. The arguments:
  // whether the key and the IV are new.
  virtual void set_position(bool, bool) {}
  // Computes the mode's state from the settings at the end of an init. The round keys are already
  // computed.
  virtual void begin(bool new_key, bool new_iv) = 0;
  // In a mode with batches: sets the mode of a batch, and the lengths that the mode determines.
  virtual void describe_batch(bulk::Batch*) const {}
  // Returns a copy of the context. nullptr: no memory, and nothing on the error queue.
  virtual CipherContext* copy() const = 0;

  bool check_key_bytes(std::uint64_t bytes) const;
  bool refuse_iv_bytes(std::uint64_t bytes) const;
  bool check_lengths(const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                     std::size_t iv_bytes) const;
  // Whether n is not 0 and the checks of an ordinary update succeed, in few steps for small
  // updates. False: make the checks one by one, for the error of the one that fails, if any does.
  bool is_checked(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                  std::size_t n) const {
    return (has_iv_ || full_iv_bytes_ == 0) && is_checked_but_iv(out, room, in, n);
  }
  bool is_checked_but_iv(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                         std::size_t n) const {
    return n != 0 && out != nullptr && in != nullptr && has_key_ && max_bytes_ == 0 && room >= n &&
           !overlaps_partly(out, in, n);
  }
  // The checks return false, with an error.
  bool check_key() const { return has_key_ || refuse_without_key(); }
  bool check_key_and_iv() const { return check_key() && (has_iv_ || refuse_without_iv()); }
  bool check_room(std::size_t room, std::size_t n) const {
    return room >= n || refuse_room(room, n);
  }
  // A limit set below what the key has had refuses no call without data.
  bool check_limit(std::size_t n) const {
    return max_bytes_ == 0 || n == 0 || (bytes_ <= max_bytes_ && n <= max_bytes_ - bytes_) ||
           refuse_limit(n);
  }
  // For n bytes of data, n not 0.
  bool check_buffers(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const {
    return (out != nullptr && in != nullptr) || refuse_buffers(in, n);
  }
  // For work that needs a device, because of `gpu = require` or device memory, and that no device
  // could do.
  bool refuse_without_device(std::size_t n) const;
  // For a TLS record of n bytes.
  bool refuse_record(const char* why, std::size_t n) const;
  bool refuse_without_iv() const;
  bool refuse_overlap(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  // Writes a line to the trace: the backend and the bytes that this context processed. The
  // destructor of each derived class calls report().
  void report() const;
  // Copies the IV, 16 bytes as one: the cipher loads them as one, and a CPU waits when a load
  // covers two stores.
  void copy_iv_to(std::uint8_t* block) const {
    block_bytes() == 16 ? static_cast<void>(std::memcpy(block, iv_, 16))
                        : copy_block(block, iv_, block_bytes());
  }
  // Adds n processed bytes to the counts.
  void count(std::size_t n, bool by_device) {
    bytes_ += n;
    traced_ += n;
    if (by_device) by_device_ += n;
  }

  // A shift, because a block's size is a power of two. A division takes as long as the other steps
  // of a small update together.
  std::size_t whole_blocks(std::size_t bytes) const {
    return bytes >> __builtin_ctzll(block_bytes());
  }

  // Whether BulkStream::served_by() names a device.
  bool is_served_by_device(const char* served_by) const {
    return served_by != nullptr && served_by != engine().cpu_backend().name;
  }
  Engine& engine() const { return *services_.engine; }
  bool encrypts() const { return encrypt_; }

  const CipherServices& services_;
  const CipherSpec* cipher_;
  const Mode* mode_;
  RoundKeys& keys_;  // CipherSpec::round_key_bytes bytes behind the context

 private:
  friend class Pipeline;  // its init() sets the base context and each pipe

  bool init_with_params(const InitCall& call, const OSSL_PARAM* params);
  bool has_new_iv(const InitCall& call) const { return call.iv != nullptr && full_iv_bytes_ != 0; }
  void set_init(const InitCall& call, bool new_key, bool new_iv);
  void compute_init(const InitCall& call, bool new_key, bool new_iv);
  void begin_as_set(bool new_key, bool new_iv);
  bool refuse_without_key() const;
  bool refuse_room(std::size_t room, std::size_t n) const;
  bool refuse_buffers(const std::uint8_t* in, std::size_t n) const;
  bool refuse_limit(std::size_t n) const;
  const void* batch_array_of(BatchArray array, std::size_t each, bool* good) const;
  bool find_batch_texts(bulk::Batch* batch, std::size_t n) const;
  bool find_batch_tags(bulk::Batch* batch) const;
  bool find_batch_keys(bulk::Batch* batch);
  bool make_batch_table(bulk::Batch* batch);
  bool refuse_batch(const char* missing) const;
  bool refuse_batch(const bulk::Batch& batch, const bulk::BatchOutcome& outcome) const;

  bool has_batch_settings();

  std::unique_ptr<BatchSettings> batch_;  // nullptr until a parameter of batches is set

  // For the trace: all bytes of this context, and the bytes of updates that a device served.
  std::uint64_t traced_ = 0;
  std::uint64_t by_device_ = 0;
};

}  // namespace gpuctr

#endif
