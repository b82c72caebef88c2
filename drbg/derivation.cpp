#include "drbg/derivation.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"

namespace gpuctr::drbg {
namespace {

void store_be32(std::uint8_t* p, std::size_t x) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<std::uint8_t>(x >> (24 - 8 * i));
}

// BCC of 10.3.3 over IV_i || S, for all i at once. The chains of step 9 differ only in their first
// block. So each further block of S takes one call on seed_blocks independent blocks.
class Chains {
 public:
  explicit Chains(const Mechanism& m) : m_(m) {
    std::memcpy(value_, m.df_chains, m.seed_blocks * m.block);
  }
  void absorb(ByteView input) {
    while (input.size != 0) {
      const std::size_t take = std::min(input.size, m_.block - used_);
      std::memcpy(pending_ + used_, input.data, take);
      used_ += take;
      input.data += take;
      input.size -= take;
      if (used_ == m_.block) next();
    }
  }

  // Step 5: pads with zeros to a whole block.
  void pad() {
    if (used_ == 0) return;
    std::memset(pending_ + used_, 0, m_.block - used_);
    next();
  }

  const std::uint8_t* value() const { return value_; }

 private:
  // 10.3.3 steps 4.1 and 4.2.
  void next() {
    for (std::size_t i = 0; i < m_.seed_blocks; ++i) {
      for (std::size_t j = 0; j < m_.block; ++j) value_[i * m_.block + j] ^= pending_[j];
    }
    m_.cpu.encrypt(m_.df_keys, value_, value_, m_.seed_blocks);
    used_ = 0;
  }

  const Mechanism& m_;
  std::uint8_t value_[kMaxSeedBytes];
  std::uint8_t pending_[kMaxBlockBytes] = {};
  std::size_t used_ = 0;
};

// Steps 2 to 9: runs S = L || N || input_string || 0x80 || 0... through the chains and writes their
// values to `value`. Not inlined: the caller wipes the stack frame.
__attribute__((noinline)) void run_chains(const Mechanism& m, ByteView a, ByteView b, ByteView c,
                                          std::uint8_t* value) {
  std::uint8_t lengths[8];
  store_be32(lengths, a.size + b.size + c.size);
  store_be32(lengths + 4, m.seed);
  const std::uint8_t end = 0x80;
  Chains chains(m);
  chains.absorb({lengths, sizeof lengths});
  chains.absorb(a);
  chains.absorb(b);
  chains.absorb(c);
  chains.absorb({&end, 1});
  chains.pad();
  std::memcpy(value, chains.value(), m.seed);
}

// The stack bytes of run_chains() and of the functions inlined into it.
constexpr std::size_t kChainsFrame = 1024;

}  // namespace

void block_cipher_df(const Mechanism& m, ByteView a, ByteView b, ByteView c, std::uint8_t* out) {
  Wiped<std::uint8_t[kMaxSeedBytes]> value;
  run_chains(m, a, b, c, value.value);
  wipe_stack<kChainsFrame>();

  // Steps 10 and 11.
  Wiped<RoundKeys> keys;
  m.expand(value.value, &keys.value);
  Wiped<std::uint8_t[kMaxBlockBytes]> x;
  std::memcpy(x.value, value.value + m.key, m.block);

  // Steps 12 to 14.
  for (std::size_t done = 0; done < m.seed; done += m.block) {
    m.cpu.encrypt(keys.value, x.value, x.value, 1);
    std::memcpy(out + done, x.value, std::min(m.block, m.seed - done));
  }
}

}  // namespace gpuctr::drbg
