// The state behind one EVP_CIPHER_CTX: what every mode has. provider/mode/ derives from it.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CIPHER_CONTEXT_H
#define GPUCTR_PROVIDER_MODE_BASE_CIPHER_CONTEXT_H

#include <openssl/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/bulk/engine.h"
#include "kernels/cipher/registry.h"
#include "provider/core/core.h"
#include "provider/core/errors.h"
#include "provider/mode/base/context_memory.h"
#include "provider/mode/base/mode.h"

namespace gpuctr {

class Pipeline;

// What the contexts of one instance of the provider share. All of it outlives them.
struct CipherServices {
  const Core* core;
  Engine* engine;
  std::uint64_t max_bytes;  // of one key, for contexts that set no limit of their own; 0: none
};

// The longest IV of a mode that takes more than a block of it: OpenSSL's GCM_IV_MAX_SIZE.
constexpr std::size_t kMaxIvBytes = 128;

// Everything that inits and parameters set, for every mode: plain values. What is computed of them
// (round keys, keystream) is not here. CipherContext::all_or_nothing() restores these values after
// a refused call, so a value that a call can set must be a member of this class, or of a class of
// settings that the mode restores.
struct CipherSettings {
  bool encrypt_ = true;
  bool has_key_ = false;
  bool has_iv_ = false;
  bool padding_ = true;
  // A parameter changed the position or the tweak: apply_settings() is due.
  bool position_is_new_ = false;
  bool tweak_is_new_ = false;
  std::size_t key_bytes_ = 0;
  std::uint64_t bytes_ = 0;      // since the key was set
  std::uint64_t max_bytes_ = 0;  // of one key; 0: no limit
  std::uint8_t iv_[kMaxBlockIv] = {};
  std::uint8_t tweak_[kMaxTweakBytes + 1] = {};  // a build may have no cipher with one
};

// Key and IV of one init. nullptr: the context keeps its own.
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

// One thread at a time, as EVP has it. Each function that fails leaves one error on OpenSSL's
// queue, has written no output, and leaves the context usable after a correct init.
class CipherContext : protected CipherSettings {
 public:
  CipherContext(const CipherContext&) = delete;
  CipherContext& operator=(const CipherContext&) = delete;
  virtual ~CipherContext();
  static void operator delete(void* context) { std::free(context); }
  // Bytes of ContextMemory::more; a mode that needs some has its own.
  static std::size_t memory_bytes(const CipherSpec&) { return 0; }

  // Sets key, direction and IV, then the parameters, or nothing. Each mode defines what an init
  // without a new IV does. Round keys are computed after everything is accepted.
  bool init(const InitCall& call, const OSSL_PARAM* params = nullptr);
  virtual bool update(std::uint8_t* out, std::size_t* written, std::size_t room,
                      const std::uint8_t* in, std::size_t n) = 0;
  virtual bool final(std::uint8_t* out, std::size_t* written, std::size_t room) = 0;
  // EVP_Cipher: neither padding nor final.
  virtual bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) = 0;

  // The call that begins, for the reasons of its errors.
  void begin_call(Call call) { call_ = call; }
  // Puts one error of this context on the queue, or, where OpenSSL's own cipher in this mode is
  // silent, a line in the trace.
  void refuse(Reason reason, const char* format, ...) const __attribute__((format(printf, 3, 4)));

  // EVP_CIPHER_CTX_copy. nullptr: no memory, and an error on the queue.
  CipherContext* duplicate() const;
  // The pipes of OpenSSL 3.5's pipeline functions, made at the first call. nullptr: no memory, and
  // an error on the queue; or a mode without them.
  virtual Pipeline* pipeline() { return nullptr; }

  // The IV that the next data goes on from: the counter block, or the last block of ciphertext.
  // `writable`: for OpenSSL's EVP_CIPHER_CTX_iv_noconst(), whose caller may write it between any
  // two calls from now on.
  virtual std::uint8_t* updated_iv(bool) { return iv_; }
  // Bytes of the block in use that are used.
  virtual unsigned num() const { return 0; }
  // The backend of the last data, or the engine's choice for small data before any.
  virtual const char* backend() const;

  // Runs the step. After a refusal all settings are as before it. A mode with settings of its own
  // restores them too.
  virtual bool all_or_nothing(Step& step);
  // Computes what parameters left to compute: the round keys' tweak, the position's keystream.
  void apply_settings() {
    if (position_is_new_ || tweak_is_new_) begin_as_set(false, false);
  }

  bool set_padding(std::uint64_t on);
  // tweak_bytes of a cipher that has a tweak. Acts as an init of parameters only; every later key
  // has it too.
  void set_tweak(const std::uint8_t* tweak);
  const std::uint8_t* tweak() const { return tweak_; }
  bool set_max_bytes(std::uint64_t bytes);  // of one key; 0: no limit

  const CipherSpec& spec() const { return *cipher_; }
  const Mode& mode() const { return *mode_; }
  const CipherServices& services() const { return services_; }
  std::size_t block_bytes() const { return cipher_->block_bytes; }
  // The length of the key that is set, or that the next init sets.
  std::size_t key_bytes() const { return key_bytes_; }
  // False, with an error: not one of the cipher's sizes.
  bool set_key_bytes(std::uint64_t bytes);
  // Of an IV that is a block, or the end of one whose rest is zeros.
  std::size_t iv_bytes() const {
    return mode_->has_iv ? std::min(cipher_->block_bytes, kMaxBlockIv) : 0;
  }
  // Of the next IV.
  virtual std::size_t iv_length() const { return iv_bytes(); }
  const std::uint8_t* iv() const { return iv_; }
  bool padding() const { return padding_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

 protected:
  // make_context() makes each context, and has the memory.
  CipherContext(const ContextMemory& memory, const CipherServices& services,
                const CipherSpec& cipher, const Mode& mode);
  // A copy has what the modes share.
  CipherContext(const ContextMemory& memory, const CipherContext& other);
  // The round keys of another context of the same cipher, if it has a key.
  void copy_keys(const CipherContext& other);

  // Whether the mode takes an IV of so many bytes.
  virtual bool takes_iv_bytes(std::size_t bytes) const { return bytes == iv_bytes(); }
  // Keeps an IV of a length that the mode takes.
  virtual void take_iv(const std::uint8_t* iv, std::size_t bytes);
  // The mode's settings after an init, whose key, direction and IV are set already.
  virtual void set_position(bool, bool) {}
  // What an init computes of the settings. The round keys are the new ones.
  virtual void begin(bool new_key, bool new_iv) = 0;
  // nullptr: no memory; nothing on the error queue.
  virtual CipherContext* copy() const = 0;

  bool check_key_bytes(std::uint64_t bytes) const;
  bool refuse_iv_bytes(std::uint64_t bytes) const;
  bool check_lengths(const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                     std::size_t iv_bytes) const;
  // False, with an error. Inline except for the error: a small update passes all of them.
  bool check_key() const { return has_key_ || refuse_without_key(); }
  bool check_key_and_iv() const { return check_key() && (has_iv_ || refuse_without_iv()); }
  bool check_room(std::size_t room, std::size_t n) const {
    return room >= n || refuse_room(room, n);
  }
  bool check_limit(std::size_t n) const {
    return max_bytes_ == 0 || (bytes_ <= max_bytes_ && n <= max_bytes_ - bytes_) || refuse_limit(n);
  }
  // Of data, n bytes and not 0.
  bool check_buffers(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const {
    return (out != nullptr && in != nullptr) || refuse_buffers(in, n);
  }
  // No device could do what `gpu = require`, or device memory, asks for.
  bool refuse_without_device(std::size_t n) const;
  // A record of TLS, of n bytes.
  bool refuse_record(const char* why, std::size_t n) const;
  bool refuse_without_iv() const;
  bool refuse_overlap(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  // Says in the trace what this context did. A derived class's destructor calls it.
  void report() const;
  // Counts bytes that were taken.
  void count(std::size_t n, bool by_device) {
    bytes_ += n;
    traced_ += n;
    if (by_device) by_device_ += n;
  }

  // A block is a power of two of bytes, and a division takes as long as a small update's other
  // steps.
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
  Call call_ = Call::kOther;
  RoundKeys& keys_;  // round_key_bytes of the cipher, behind the context

 private:
  friend class Pipeline;  // whose init is one of its context and of each pipe

  void set_init(const InitCall& call);
  void compute_init(const InitCall& call);
  void begin_as_set(bool new_key, bool new_iv);
  bool refuse_without_key() const;
  bool refuse_room(std::size_t room, std::size_t n) const;
  bool refuse_buffers(const std::uint8_t* in, std::size_t n) const;
  bool refuse_limit(std::size_t n) const;

  // For the trace: bytes of this context, and those of updates that a device served.
  std::uint64_t traced_ = 0;
  std::uint64_t by_device_ = 0;
};

}  // namespace gpuctr

#endif
