// Electronic codebook: each block is independent (SP 800-38A 6.1).
#include <openssl/evp.h>

#include "provider/mode/base/context_params.h"
#include "provider/mode/block/block.h"

namespace gpuctr {
namespace {

class EcbContext final : public BlockContext {
 public:
  EcbContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher)
      : BlockContext(memory, services, cipher, kEcbMode) {}
  EcbContext(const ContextMemory& memory, const EcbContext& other) : BlockContext(memory, other) {}

 private:
  bool takes_device_memory() const override { return true; }
  CipherContext* copy() const override { return make_context<EcbContext>(*cipher_, *this); }

  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks, bool device) override {
    const BlockOperation operation =
        encrypts() ? BlockOperation::kEncrypt : BlockOperation::kDecrypt;
    return this->blocks(operation, nullptr, out, in, blocks, device);
  }
  void crypt_small(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks) override {
    stream_.made_small(blocks * block_bytes());
    (encrypts() ? ops_.encrypt : ops_.decrypt)(keys_, in, out, blocks);
  }
};

constexpr ContextParam kNoParams[] = {{nullptr, 0, nullptr, nullptr, 0}};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<EcbContext>(cipher, services, cipher);
}

}  // namespace

const Mode kEcbMode = {"ECB", EVP_CIPH_ECB_MODE, false, false, false, kNoParams, make};

}  // namespace gpuctr
