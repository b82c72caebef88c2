// CTR_DRBG (SP 800-90A Rev. 1 section 10.2.1) with the envelope functions of section 9.
//
// The caller is responsible for entropy, prediction resistance and reseeding by time. When a reseed
// is due, the caller calls reseed() before generate() (9.3.1 steps 7.1 to 7.4).
#ifndef GPUCTR_DRBG_CTR_DRBG_H
#define GPUCTR_DRBG_CTR_DRBG_H

#include <cstddef>
#include <cstdint>

#include "drbg/derivation.h"
#include "drbg/mechanism.h"

namespace gpuctr::drbg {

enum class State { kUninstantiated, kReady, kError };

enum class Status {
  kOk,
  kAlreadyInstantiated,
  kNotInstantiated,
  kInErrorState,     // lasts until uninstantiate()
  kEntropyTooShort,  // below the security strength; without a derivation function, not seedlen
  kEntropyTooLong,
  kNonceTooShort,  // below half the security strength (8.6.7), with a derivation function
  kNonceTooLong,
  kPersonalizationTooLong,
  kAdditionalInputTooLong,
  kReseedRequired,  // the requests would pass the reseed interval
  kOutputFailed,    // the engine could not make the output
};

// One instantiation. One thread at a time. The destructor wipes the state.
class CtrDrbg {
 public:
  // `mechanism` outlives this object.
  CtrDrbg(const Mechanism& mechanism, bool use_df)
      : m_(mechanism), use_df_(use_df), reseed_interval_(mechanism.max_reseed) {}
  ~CtrDrbg() { uninstantiate(); }
  CtrDrbg(const CtrDrbg&) = delete;
  CtrDrbg& operator=(const CtrDrbg&) = delete;

  // 9.1 and 10.2.1.3. A refused call leaves the state unchanged. Without a derivation function the
  // nonce is not used.
  Status instantiate(ByteView entropy, ByteView nonce, ByteView personalization);

  // 9.2 and 10.2.1.4. A refused call leaves the state unchanged.
  Status reseed(ByteView entropy, ByteView additional);

  // 9.3 and 10.2.1.5. n is any number of bytes. More than max_request bytes are a chain of legal
  // requests: each request is counted and uses the additional input. n == 0 is one request for no
  // bytes. kReseedRequired: the chain would pass the reseed interval, and nothing is written.
  // kOutputFailed: this object enters the error state. Do not use the part of `out` that was
  // written, because these bytes cannot be made again.
  Status generate(std::uint8_t* out, std::size_t n, ByteView additional);

  // 9.4. Wipes the internal state. Also ends the error state.
  void uninstantiate();

  State state() const { return state_; }
  bool uses_df() const { return use_df_; }
  // False, and nothing changes, if the object is instantiated with the other value.
  bool set_use_df(bool use_df);
  const Mechanism& mechanism() const { return m_; }

  // Requests since the last (re)seeding, plus one: reseed_counter of 10.2.1.1.
  std::uint64_t reseed_counter() const { return reseed_counter_; }
  // The number of requests that generate() accepts before a reseed is due.
  std::uint64_t requests_left() const {
    return reseed_counter_ > reseed_interval_ ? 0 : reseed_interval_ - reseed_counter_ + 1;
  }
  // The interval is 1 to mechanism().max_reseed; a number outside this range is clamped to it.
  void set_reseed_interval(std::uint64_t requests);

  // The number of legal requests for n bytes.
  std::uint64_t requests_for(std::size_t n) const {
    return n == 0 ? 1 : (n - 1) / m_.max_request + 1;
  }

  // The lengths that instantiate() and reseed() accept.
  std::size_t min_entropy() const { return use_df_ ? m_.min_entropy : m_.seed; }
  std::size_t max_entropy() const { return use_df_ ? m_.max_length : m_.seed; }
  std::size_t min_nonce() const { return use_df_ ? m_.min_entropy / 2 : 0; }
  std::size_t max_nonce() const { return use_df_ ? m_.max_length : 0; }
  std::size_t max_personalization() const { return use_df_ ? m_.max_length : m_.seed; }
  std::size_t max_additional() const { return use_df_ ? m_.max_length : m_.seed; }

  // Whether every byte of the internal state is zero (11.3.5).
  bool is_zeroized() const;

 private:
  // provided_data of Update, seedlen bytes; nullptr stands for 0^seedlen.
  using Provided = const std::uint8_t*;

  Status check_ready() const;
  Status check_entropy(ByteView entropy) const;
  void seed_material(ByteView a, ByteView nonce, ByteView b, std::uint8_t* out) const;
  void update(Provided provided);
  void set_key_and_v(const std::uint8_t* temp);
  void begin_output(std::size_t n, std::uint8_t* counter);

  // Whether a device, or the engine, makes the output of a generate. Otherwise the calling thread
  // makes the output.
  bool for_device(const void* out) const;
  bool for_engine(const void* out, std::size_t n) const;
  void requests_on_thread(std::uint8_t* out, std::size_t n, Provided additional);
  bool requests_by_engine(std::uint8_t* out, std::size_t n, Provided additional);
  enum class Made { kAll, kNothing, kFailed };
  Made batches(std::uint8_t* out, std::size_t n, Provided additional);
  void chain(ChainLink* links, std::size_t requests, std::size_t n, Provided additional);
  void fail();

  const Mechanism& m_;
  bool use_df_;
  State state_ = State::kUninstantiated;
  std::uint64_t reseed_interval_;
  // The internal state of 10.2.1.1, and the round keys of Key.
  std::uint64_t reseed_counter_ = 0;
  std::uint8_t v_[kMaxBlockBytes] = {};
  std::uint8_t key_[kMaxKeyBytes] = {};
  RoundKeys keys_ = {};
};

}  // namespace gpuctr::drbg

#endif
