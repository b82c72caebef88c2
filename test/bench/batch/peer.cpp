#include "test/bench/batch/peer.h"

#ifdef GPUCTR_IPSEC_MB
#include <intel-ipsec-mb.h>

#include <cstring>
#include <memory>

#include "test/bench/must.h"
#endif

namespace gpuctr::bench {

#ifdef GPUCTR_IPSEC_MB
namespace {

constexpr std::size_t kScheduleWords = 4 * 15;

class Sealer {
 public:
  Sealer(ManyMode mode, std::size_t key_bytes, BatchData* data, std::size_t size, bool schedules)
      : mode_(mode),
        key_bytes_(key_bytes),
        size_(size),
        prepared_(schedules),
        data_(*data),
        manager_(alloc_mb_mgr(0), free_mb_mgr),
        schedules_(schedules ? kMessages : 1) {
    must(manager_ != nullptr, "ipsec-mb");
    init_mb_mgr_auto(manager_.get(), nullptr);
    if (mode == ManyMode::kGcm) {
      hash_keys_.resize(schedules ? kMessages : 1);
      for (std::size_t i = 0; i < hash_keys_.size(); ++i) prepare_gcm(i, &hash_keys_[i]);
    }
    schedules_.resize(kMessages);
    for (std::size_t i = 0; i < kMessages; ++i) expand(i);
  }

  void seal() {
    if (mode_ == ManyMode::kGcm) return seal_gcm();
    for (std::size_t i = 0; i < kMessages; ++i) {
      if (!prepared_) expand(i);
      submit(i);
    }
    while (IMB_FLUSH_JOB(manager_.get()) != nullptr) {
    }
  }

 private:
  struct alignas(64) Schedule {
    std::uint32_t encrypts[kScheduleWords], decrypts[kScheduleWords];
  };

  void expand(std::size_t i) {
    Schedule& to = schedules_[i];
    const std::uint8_t* const key = &data_.keys[i * kKeyBytes];
    if (key_bytes_ == 16) {
      IMB_AES_KEYEXP_128(manager_.get(), key, to.encrypts, to.decrypts);
    } else {
      IMB_AES_KEYEXP_256(manager_.get(), key, to.encrypts, to.decrypts);
    }
  }
  void prepare_gcm(std::size_t i, gcm_key_data* to) {
    const std::uint8_t* const key = &data_.keys[i * kKeyBytes];
    if (key_bytes_ == 16) {
      IMB_AES128_GCM_PRE(manager_.get(), key, to);
    } else {
      IMB_AES256_GCM_PRE(manager_.get(), key, to);
    }
  }
  void seal_gcm() {
    gcm_context_data context;
    for (std::size_t i = 0; i < kMessages; ++i) {
      gcm_key_data* const key = &hash_keys_[prepared_ ? i : 0];
      if (!prepared_) prepare_gcm(i, key);
      std::uint8_t* const text = &data_.texts[i * size_];
      const auto run = key_bytes_ == 16 ? manager_->gcm128_enc : manager_->gcm256_enc;
      run(key, &context, text, text, size_, &data_.ivs[i * 16], &data_.aad[i * kAadBytes],
          kAadBytes, &data_.tags[i * kTagBytes], kTagBytes);
    }
  }
  void submit(std::size_t i) {
    IMB_JOB* const job = IMB_GET_NEXT_JOB(manager_.get());
    std::memset(job, 0, sizeof *job);
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->src = &data_.texts[i * size_];
    job->dst = &data_.texts[i * size_];
    job->enc_keys = schedules_[i].encrypts;
    job->dec_keys = schedules_[i].encrypts;
    job->key_len_in_bytes = key_bytes_;
    job->iv = &data_.ivs[i * 16];
    job->iv_len_in_bytes = 16;
    job->msg_len_to_cipher_in_bytes = size_;
    job->hash_alg = IMB_AUTH_NULL;
    job->cipher_mode = mode_ == ManyMode::kCbc ? IMB_CIPHER_CBC : IMB_CIPHER_CNTR;
    if (mode_ == ManyMode::kCcm) {
      job->cipher_mode = IMB_CIPHER_CCM;
      job->hash_alg = IMB_AUTH_AES_CCM;
      job->chain_order = IMB_ORDER_HASH_CIPHER;
      job->iv_len_in_bytes = 12;
      job->u.CCM.aad = &data_.aad[i * kAadBytes];
      job->u.CCM.aad_len_in_bytes = kAadBytes;
      job->auth_tag_output = &data_.tags[i * kTagBytes];
      job->auth_tag_output_len_in_bytes = kTagBytes;
      job->msg_len_to_hash_in_bytes = size_;
    }
    IMB_SUBMIT_JOB_NOCHECK(manager_.get());
  }

  ManyMode mode_;
  std::size_t key_bytes_, size_;
  bool prepared_;
  BatchData& data_;
  std::unique_ptr<IMB_MGR, void (*)(IMB_MGR*)> manager_;
  std::vector<Schedule> schedules_;
  std::vector<gcm_key_data> hash_keys_;
};

}  // namespace

std::function<void()> ipsec_mb(const std::string& cipher, ManyMode mode, BatchData* data,
                               std::size_t size, bool schedules) {
  if (cipher != "AES-128" && cipher != "AES-256") return {};
  const auto sealer = std::make_shared<Sealer>(
      mode, cipher == "AES-128" ? std::size_t{16} : std::size_t{32}, data, size, schedules);
  return [sealer] { sealer->seal(); };
}
#else
std::function<void()> ipsec_mb(const std::string&, ManyMode, BatchData*, std::size_t, bool) {
  return {};
}
#endif

}  // namespace gpuctr::bench
