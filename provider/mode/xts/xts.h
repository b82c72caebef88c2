// XTS (IEEE 1619, SP 800-38E), as EVP requires. A key is two keys of the cipher: of the data and of
// the tweak.
#ifndef GPUCTR_PROVIDER_MODE_XTS_XTS_H
#define GPUCTR_PROVIDER_MODE_XTS_XTS_H

#include "kernels/base/counter.h"
#include "kernels/base/inline.h"
#include "kernels/bulk/base/xts.h"
#include "kernels/bulk/batch/work.h"
#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

// IEEE 1619 5.1, SP 800-38E: the most blocks of a data unit.
constexpr std::size_t kMaxXtsBlocks = std::size_t{1} << 20;

// Each update is one data unit, whose tweak is the IV. The IV stays until an init sets another.
class XtsContext final : public CipherContext {
 public:
  XtsContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher)
      : CipherContext(memory, services, cipher, kXtsMode),
        ops_(services.engine->cpu(cipher)),
        stream_(services.engine),
        tweak_keys_(*reinterpret_cast<RoundKeys*>(memory.more)) {}
  XtsContext(const ContextMemory& memory, const XtsContext& other);
  ~XtsContext() override;
  static std::size_t memory_bytes(const CipherSpec& cipher) { return cipher.round_key_bytes; }

  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;

  // The IV of the next data unit. libcrypto's callers may write it.
  std::uint8_t* updated_iv(bool) override { return unit_iv_; }
  const char* backend() const override;
  bool set_same_key_bytes(std::uint64_t bytes);

 private:
  CipherContext* copy() const override { return make_context<XtsContext>(*cipher_, *this); }
  void begin(bool, bool new_iv) override {
    if (new_iv) copy_block(unit_iv_, iv_, kXtsBlock);
  }
  bool takes_key(const InitCall& call) const override;
  void describe_batch(bulk::Batch* batch) const override {
    batch->mode = bulk::BatchMode::kXts;
    batch->tweak_key = &tweak_keys_;
  }
  void expand(const std::uint8_t* key, std::size_t bytes) override;
  bool check_unit(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                  std::size_t n) const;
  bool refuse_unit(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  bool refuse_long_unit(std::size_t n) const;
  // Not inline: the usual update needs fewer registers then.
  GPUCTR_NOINLINE bool update_any(std::uint8_t* out, std::size_t* written, std::size_t room,
                                  const std::uint8_t* in, std::size_t n);
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n, bool* by_device);

  const CipherOps& ops_;
  BulkStream stream_;
  std::uint8_t unit_iv_[kXtsBlock] = {};
  RoundKeys& tweak_keys_;  // CipherSpec::round_key_bytes bytes, if has_key_
};

}  // namespace gpuctr

#endif
