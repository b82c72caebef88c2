// A cipher of the project's table as a BlockCipher: single blocks on the CPU, output through the
// bulk engine.
#ifndef GPUCTR_DRBG_KERNEL_CIPHER_H
#define GPUCTR_DRBG_KERNEL_CIPHER_H

#include "drbg/block_cipher.h"

namespace gpuctr::drbg {

class KernelCipher final : public BlockCipher {
 public:
  // `engine` is not owned and outlives this object.
  KernelCipher(const CipherSpec& spec, Engine* engine)
      : BlockCipher(spec.block_bytes, spec.key_bytes, spec.strength_bits),
        spec_(spec),
        engine_(engine) {}

  void expand(const std::uint8_t* key, RoundKeys* out) const override;
  void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
               std::size_t blocks) const override;
  void keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                 std::size_t n) const override;
  bool output(const BulkSegment* segments, std::size_t count) const override;
  bool shares(const void* out, std::size_t n) const override;
  unsigned threads() const override { return engine_->threads(); }
  bool for_card(const void* out) const override;
  void step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out, std::size_t n,
            std::uint8_t* seed) const override;
  bool requests(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
                std::size_t count) const override;
  bool chain(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
             std::size_t count) const override;

 private:
  const CipherSpec& spec_;
  Engine* engine_;
};

}  // namespace gpuctr::drbg

#endif
