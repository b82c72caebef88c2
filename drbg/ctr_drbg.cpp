#include "drbg/ctr_drbg.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr::drbg {
namespace {

void xor_into(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] ^= in[i];
}

}  // namespace

// Steps 1 and 2 of 10.2.1.3.2 and 10.2.1.4.2, and step 2.1 of 10.2.1.5.2. Without a derivation
// function: the padding and XOR of 10.2.1.3.1, 10.2.1.4.1 and 10.2.1.5.1.
void CtrDrbg::seed_material(ByteView a, ByteView nonce, ByteView b, std::uint8_t* out) const {
  if (use_df_) {
    block_cipher_df(m_, a, nonce, b, out);
    return;
  }
  std::memset(out, 0, m_.seed);
  xor_into(out, a.data, a.size);
  xor_into(out, b.data, b.size);
}

// CTR_DRBG_Update, 10.2.1.2.
void CtrDrbg::update(Provided provided) {
  Wiped<std::uint8_t[kMaxSeedBytes]> temp;
  counter_add(v_, m_.block, 1);                                      // step 2.1
  m_.cpu.step(keys_, v_, nullptr, 0, temp.value);                    // steps 2.2, 2.3
  if (provided != nullptr) xor_into(temp.value, provided, m_.seed);  // steps 3, 4
  set_key_and_v(temp.value);
}

void CtrDrbg::set_key_and_v(const std::uint8_t* temp) {
  std::memcpy(key_, temp, m_.key);           // step 5
  std::memcpy(v_, temp + m_.key, m_.block);  // step 6
  m_.expand(key_, &keys_);
}

Status CtrDrbg::check_ready() const {
  if (state_ == State::kError) return Status::kInErrorState;
  return state_ == State::kReady ? Status::kOk : Status::kNotInstantiated;
}

Status CtrDrbg::check_entropy(ByteView entropy) const {
  if (entropy.size < min_entropy()) return Status::kEntropyTooShort;
  return entropy.size > max_entropy() ? Status::kEntropyTooLong : Status::kOk;
}

Status CtrDrbg::instantiate(ByteView entropy, ByteView nonce, ByteView personalization) {
  if (state_ == State::kReady) return Status::kAlreadyInstantiated;
  if (state_ == State::kError) return Status::kInErrorState;
  const Status status = check_entropy(entropy);
  if (status != Status::kOk) return status;
  if (personalization.size > max_personalization()) return Status::kPersonalizationTooLong;
  if (use_df_ && nonce.size < min_nonce()) return Status::kNonceTooShort;
  if (use_df_ && nonce.size > max_nonce()) return Status::kNonceTooLong;

  // 10.2.1.3.2 steps 3 to 6. Key and V are zero, so Update's keystream is a constant.
  Wiped<std::uint8_t[kMaxSeedBytes]> seed;
  seed_material(entropy, nonce, personalization, seed.value);
  xor_into(seed.value, m_.zero_update, m_.seed);
  set_key_and_v(seed.value);
  reseed_counter_ = 1;
  state_ = State::kReady;
  return Status::kOk;
}

Status CtrDrbg::reseed(ByteView entropy, ByteView additional) {
  Status status = check_ready();
  if (status == Status::kOk) status = check_entropy(entropy);
  if (status != Status::kOk) return status;
  if (additional.size > max_additional()) return Status::kAdditionalInputTooLong;

  // 10.2.1.4.2 steps 1 to 4.
  Wiped<std::uint8_t[kMaxSeedBytes]> seed;
  seed_material(entropy, {}, additional, seed.value);
  update(seed.value);
  reseed_counter_ = 1;
  return Status::kOk;
}

// 10.2.1.5.2 steps 3 to 5 without the output. The output is n bytes of keystream, n > 0, from V + 1
// on. Writes V + 1 to `counter` and sets V to the last counter block of the output. (A request for
// no bytes does not change V.)
void CtrDrbg::begin_output(std::size_t n, std::uint8_t* counter) {
  counter_add(v_, m_.block, 1);
  std::memcpy(counter, v_, m_.block);
  const std::size_t blocks = (n + m_.block - 1) / m_.block;
  counter_add(v_, m_.block, blocks - 1);  // V is the last counter block used
}

// Whether a device must make the output, even if the requests are short.
bool CtrDrbg::for_device(const void* out) const {
  return m_.engine.config().gpu == GpuUse::kRequire || m_.engine.is_device(out);
}

// Whether the engine makes the output, not only the calling thread. The requests of a cipher with
// 64-bit blocks have 1 KiB each. A core makes such a request and the step to the next one in less
// time than a device needs to start. So only threads share such requests.
bool CtrDrbg::for_engine(const void* out, std::size_t n) const {
  constexpr std::size_t kLeastShort = std::size_t{1} << 20;
  if (m_.block == 16 || for_device(out)) return m_.engine.shares(out, n);
  return n >= kLeastShort && m_.engine.threads() > 1;
}

// 10.2.1.5.2 steps 2 to 7 for each legal request. The counter blocks of Update follow those of the
// output, so one call makes both.
void CtrDrbg::requests_on_thread(std::uint8_t* out, std::size_t n, Provided additional) {
  m_.engine.count_cpu(n);
  const std::size_t whole = n / m_.max_request;
  if (additional == nullptr && whole > 1 && m_.cpu.requests != nullptr &&
      m_.cpu.requests(key_, v_, out, m_.max_request, whole)) {
    m_.expand(key_, &keys_);
    reseed_counter_ += whole;
    out += whole * m_.max_request;
    n -= whole * m_.max_request;
    if (n == 0) return;
  }
  Wiped<std::uint8_t[kMaxSeedBytes]> temp;
  do {
    const std::size_t take = std::min(n, m_.max_request);
    if (additional != nullptr) update(additional);  // step 2.2
    counter_add(v_, m_.block, 1);
    m_.cpu.step(keys_, v_, out, take, temp.value);                         // steps 3 to 5
    if (additional != nullptr) xor_into(temp.value, additional, m_.seed);  // step 6
    set_key_and_v(temp.value);
    ++reseed_counter_;  // step 7
    out += take;
    n -= take;
  } while (n != 0);
}

// As requests_on_thread(), but the engine makes the output of each request. False: the engine
// failed.
bool CtrDrbg::requests_by_engine(std::uint8_t* out, std::size_t n, Provided additional) {
  do {
    const std::size_t take = std::min(n, m_.max_request);
    if (additional != nullptr) update(additional);
    if (take != 0) {
      Wiped<std::uint8_t[kMaxBlockBytes]> counter;
      begin_output(take, counter.value);
      if (m_.engine.ctr(m_.spec, keys_, counter.value, nullptr, out, take) != BulkStatus::kOk) {
        return false;
      }
    }
    update(additional);
    ++reseed_counter_;
    out += take;
    n -= take;
  } while (n != 0);
  return true;
}

Status CtrDrbg::generate(std::uint8_t* out, std::size_t n, ByteView additional) {
  const Status status = check_ready();
  if (status != Status::kOk) return status;
  if (additional.size > max_additional()) return Status::kAdditionalInputTooLong;
  if (requests_for(n) > requests_left()) return Status::kReseedRequired;  // step 1

  // Step 2.1: the seed material is the same in each request of the chain, because the additional
  // input is.
  Wiped<std::uint8_t[kMaxSeedBytes]> seed;
  Provided provided = nullptr;
  if (additional.size != 0) {
    seed_material(additional, {}, {}, seed.value);
    provided = seed.value;
  }
  if (!for_engine(out, n)) {
    requests_on_thread(out, n, provided);
    return Status::kOk;
  }
  Made made = n > m_.max_request ? batches(out, n, provided) : Made::kNothing;
  if (made == Made::kNothing) {
    made = requests_by_engine(out, n, provided) ? Made::kAll : Made::kFailed;
  }
  if (made == Made::kAll) return Status::kOk;
  fail();
  return Status::kOutputFailed;
}

void CtrDrbg::fail() {
  uninstantiate();
  state_ = State::kError;
}

void CtrDrbg::uninstantiate() {
  wipe(v_, sizeof v_);
  wipe(key_, sizeof key_);
  wipe(&keys_, sizeof keys_);
  reseed_counter_ = 0;
  state_ = State::kUninstantiated;
}

bool CtrDrbg::set_use_df(bool use_df) {
  if (use_df == use_df_) return true;
  if (state_ == State::kReady) return false;
  use_df_ = use_df;
  return true;
}

void CtrDrbg::set_reseed_interval(std::uint64_t requests) {
  reseed_interval_ = std::clamp<std::uint64_t>(requests, 1, m_.max_reseed);
}

bool CtrDrbg::is_zeroized() const {
  unsigned any = 0;
  for (const std::uint8_t b : v_) any |= b;
  for (const std::uint8_t b : key_) any |= b;
  for (const std::uint8_t b : keys_.bytes) any |= b;
  return any == 0 && reseed_counter_ == 0;
}

}  // namespace gpuctr::drbg
