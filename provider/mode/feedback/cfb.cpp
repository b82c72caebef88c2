// Cipher feedback in segments of a block (SP 800-38A 6.3), for messages of any number of bytes. The
// engine decrypts. The calling thread encrypts, because each block of encryption depends on the
// previous block.
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/inline.h"
#include "kernels/base/wipe.h"
#include "kernels/cpu/xex.h"
#include "provider/mode/base/cbc_chain.h"
#include "provider/mode/feedback/feedback.h"

namespace gpuctr {
namespace {

class CfbContext final : public FeedbackContext {
 public:
  CfbContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher)
      : FeedbackContext(memory, services, cipher, kCfbMode) {}
  CfbContext(const ContextMemory& memory, const CfbContext& other)
      : FeedbackContext(memory, other) {}

 private:
  CipherContext* copy() const override { return make_context<CfbContext>(*cipher_, *this); }
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) override;
  bool takes_device_memory(std::size_t n) const override {
    return !encrypts() && num_ == 0 && n % block_bytes() == 0;
  }
  bool crypt_on_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n) override;
  // n bytes in whole blocks. Those for few and many blocks are not inline: the others need fewer
  // registers then.
  bool decrypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t lead, std::size_t n);
  GPUCTR_NOINLINE void decrypt_few(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  GPUCTR_NOINLINE bool decrypt_many(std::uint8_t* out, const std::uint8_t* in, std::size_t lead,
                                    std::size_t n);
  void encrypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  GPUCTR_NOINLINE void encrypt_few(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  GPUCTR_NOINLINE void encrypt_many(std::uint8_t* out, const std::uint8_t* in, std::size_t left);
  void use_block(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
};

// XORs n bytes with the rest of the block in use, which has at least as many.
void CfbContext::use_block(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t given = in[i];
    const auto made = static_cast<std::uint8_t>(block_[num_ + i] ^ given);
    block_[num_ + i] = encrypts() ? made : given;
    out[i] = made;
  }
  num_ = (num_ + static_cast<unsigned>(n)) & static_cast<unsigned>(block_bytes() - 1);
}

// The `lead` bytes that complete a block in use, and n bytes in whole blocks. The whole blocks may
// be refused unless they are small, and a refusal must have written nothing: they come first.
GPUCTR_INLINE bool CfbContext::decrypt_blocks(std::uint8_t* out, const std::uint8_t* in,
                                              std::size_t lead, std::size_t n) {
  if (!stream_.is_small(n)) return decrypt_many(out, in, lead, n);
  if (lead != 0) use_block(out, in, lead);
  stream_.made_small(n);
  if (ops_.cfb_decrypt != nullptr) {
    ops_.cfb_decrypt(keys_, block_, in + lead, out + lead, whole_blocks(n));
  } else {
    decrypt_few(out + lead, in + lead, n);
  }
  return true;
}

bool CfbContext::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  if (num_ == 0 && (n & (block - 1)) == 0) {
    if (!encrypts()) return decrypt_blocks(out, in, 0, n);
    encrypt_blocks(out, in, n);
    return true;
  }
  const std::size_t lead = num_ == 0 ? 0 : std::min(n, block - num_);
  const std::size_t blocks = (n - lead) & ~(block - 1), end = lead + blocks;
  if (!encrypts() && blocks != 0) {
    if (!decrypt_blocks(out, in, lead, blocks)) return false;
  } else {
    use_block(out, in, lead);
    if (blocks != 0) encrypt_blocks(out + lead, in + lead, blocks);
  }
  if (end != n) {
    encrypt_block();
    use_block(out + end, in + end, n - end);
  }
  return true;
}

void CfbContext::decrypt_few(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  if (n != block) return decrypt_cfb(ops_, block, keys_, block_, in, out, n / block);
  encrypt_block();
  std::uint8_t given[kMaxBlockIv] = {};
  copy_chain(given, in, block);
  xor_blocks(block_, given, out, block);
  copy_chain(block_, given, block);
}

bool CfbContext::decrypt_many(std::uint8_t* out, const std::uint8_t* in, std::size_t lead,
                              std::size_t n) {
  const std::size_t block = block_bytes();
  std::uint8_t before[kMaxBlockIv] = {}, last[kMaxBlockIv] = {};
  copy_block(before, block_, block);
  if (lead != 0) std::memcpy(before + num_, in, lead);
  copy_block(last, in + lead + n - block, block);
  if (stream_.blocks_in(false, *cipher_, keys_, BlockOperation::kEncrypt, before, in + lead,
                        out + lead, whole_blocks(n)) != BulkStatus::kOk) {
    return false;
  }
  use_block(out, in, lead);
  copy_chain(block_, last, block);
  return true;
}

bool CfbContext::crypt_on_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  std::uint8_t last[kMaxBlockIv] = {};
  if (!stream_.is_device(in)) {
    copy_block(last, in + n - block, block);
  } else if (engine().read(in + n - block, last, block) != BulkStatus::kOk) {
    return false;
  }
  if (stream_.blocks_in(true, *cipher_, keys_, BlockOperation::kEncrypt, block_, in, out,
                        whole_blocks(n)) != BulkStatus::kOk) {
    return false;
  }
  copy_chain(block_, last, block);
  return true;
}

void CfbContext::encrypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  stream_.made_small(n);
  if (ops_.cfb_encrypt != nullptr) {
    return ops_.cfb_encrypt(keys_, block_, in, out, whole_blocks(n));
  }
  n <= kFewBlocks* block_bytes() ? encrypt_few(out, in, n) : encrypt_many(out, in, n);
}

void CfbContext::encrypt_few(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  for (std::size_t at = 0; at != n; at += block) {
    encrypt_block();
    xor_blocks(block_, in + at, block_, block);
    copy_block(out + at, block_, block);
  }
}

// The keystream blocks are E(IV), E(c[0]), E(c[1]), ... With c[i] = p[i] ^ E(c[i - 1]), these are
// the output of CBC encryption of IV, p[0], p[1], ... from a chaining block of zeros.
void CfbContext::encrypt_many(std::uint8_t* out, const std::uint8_t* in, std::size_t left) {
  const std::size_t block = block_bytes();
  constexpr std::size_t kPiece = 2048;
  alignas(64) std::uint8_t made[kPiece];
  std::size_t used = 0;
  while (left != 0) {
    const std::size_t n = std::min(kPiece, left);
    copy_chain(made, block_, block);
    std::memcpy(made + block, in, n - block);
    std::uint8_t chain[kMaxBlockBytes] = {};
    cbc_chain(ops_, keys_, block, chain, made, made, n / block);
    xor_pieces(made, in, out, n);
    copy_chain(block_, out + n - block, block);
    wipe(chain, block);
    used = std::max(used, n);
    in += n;
    out += n;
    left -= n;
  }
  wipe(made, used);
  wipe_stack<256>();  // the output of CBC is no secret, but here it is keystream
}

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<CfbContext>(cipher, services, cipher);
}

}  // namespace

const Mode kCfbMode = {
    "CFB", EVP_CIPH_CFB_MODE, true, true, false, kFeedbackParams, make, false, 0, 0, 0,
    0,     kMaxBlockIv};

}  // namespace gpuctr
