// Cipher block chaining, as EVP requires.
#ifndef GPUCTR_PROVIDER_MODE_BLOCK_CBC_H
#define GPUCTR_PROVIDER_MODE_BLOCK_CBC_H

#include "provider/mode/block/block.h"
#include "provider/mode/block/tls_record.h"

namespace gpuctr {

// The settings that libssl makes.
struct CbcSettings {
  unsigned tls_version_ = 0;  // 0: no TLS
  TlsMac tls_mac_;
};

class CbcContext final : public BlockContext, private CbcSettings {
 public:
  CbcContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher)
      : BlockContext(memory, services, cipher, kCbcMode) {}
  CbcContext(const ContextMemory& memory, const CbcContext& other)
      : BlockContext(memory, other), CbcSettings(other) {}

  // Once libssl has set a version of TLS, an update is one record: see tls_record.h.
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;

  std::uint8_t* updated_iv(bool) override { return chain_; }

  bool all_or_nothing(Step& step) override;
  bool set_tls_version(std::uint64_t version);
  bool set_tls_mac_bytes(std::uint64_t bytes);
  const TlsMac& tls_mac() const { return tls_mac_; }

 private:
  void describe_batch(bulk::Batch* batch) const override { batch->mode = bulk::BatchMode::kCbc; }
  // In encryption each block depends on the previous block, so a device has no parallel work.
  bool takes_device_memory() const override { return !encrypts(); }
  CipherContext* copy() const override;
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks, bool device) override;
  void crypt_small(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks) override;
  // Not inline: otherwise every other update would save this function's registers.
  __attribute__((noinline)) bool update_record(std::uint8_t* data, std::size_t* written,
                                               std::size_t room, const std::uint8_t* in,
                                               std::size_t n);
};

}  // namespace gpuctr

#endif
