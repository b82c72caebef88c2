#include "kernels/cpu/many/one_by_one.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/many/formats.h"
#include "kernels/cpu/xex.h"

namespace gpuctr::many {
namespace {

constexpr std::size_t kBlock = 16;    // of GCM and CCM
constexpr std::size_t kPiece = 4096;  // stays in the nearest cache between two passes

void xor_bytes(std::uint8_t* to, const std::uint8_t* with, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::uint8_t>(to[i] ^ with[i]);
}

// One message under one key.
class Message {
 public:
  Message(const Machine& machine, const ManyBatch& batch, const ManyText& text,
          const RoundKeys& keys)
      : m_(machine), batch_(batch), text_(text), keys_(keys), block_(machine.spec.block_bytes) {}

  void run() {
    switch (batch_.mode) {
      case ManyMode::kCtr: {
        std::uint8_t counter[kMaxBlockBytes];
        padded_iv(counter);
        const unsigned all = static_cast<unsigned>(8 * block_);
        return ctr(counter, batch_.counter_bits != 0 ? batch_.counter_bits : all, text_.in,
                   text_.out, text_.n);
      }
      case ManyMode::kCbc:
        return cbc();
      case ManyMode::kGcm:
        return gcm();
      case ManyMode::kCcm:
        return ccm();
    }
  }

 private:
  void padded_iv(std::uint8_t* block) const {
    const std::size_t zeros = block_ - batch_.iv_bytes;
    std::memset(block, 0, zeros);
    std::memcpy(block + zeros, text_.iv, batch_.iv_bytes);
  }

  // Counter mode in pieces that end where the counter's last `bits` bits wrap. `counter` becomes
  // the counter after the last whole block.
  void ctr(std::uint8_t* counter, unsigned bits, const std::uint8_t* in, std::uint8_t* out,
           std::size_t n) {
    for (;;) {
      const std::uint64_t left = blocks_before_wrap(counter, block_, bits);
      const std::uint64_t blocks = std::min<std::uint64_t>(left, (n + block_ - 1) / block_);
      const std::size_t take = std::min<std::size_t>(n, blocks * block_);
      if (take != 0) m_.ops.ctr(keys_, counter, in, out, take);
      advance(counter, block_, bits, blocks);
      n -= take;
      if (n == 0) return;
      in += take;
      out += take;
    }
  }

  // The encryption chain of CBC and of CCM's MAC.
  void chain(std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
    if (blocks == 0) return;
    if (m_.ops.cbc_encrypt != nullptr) return m_.ops.cbc_encrypt(keys_, chain, in, out, blocks);
    for (; blocks != 0; --blocks, in += block_, out += block_) {
      xor_bytes(chain, in, block_);
      m_.ops.encrypt(keys_, chain, chain, 1);
      std::memcpy(out, chain, block_);
    }
  }

  void cbc() {
    Wiped<std::uint8_t[kMaxBlockBytes]> before;
    padded_iv(before.value);
    if (batch_.encrypts) return chain(before.value, text_.in, text_.out, text_.n / block_);
    decrypt_cbc(m_.ops, block_, keys_, before.value, text_.in, text_.out, text_.n / block_);
  }

  // Adds whole blocks, and a last block filled with zeros, to the MAC.
  void mac(std::uint8_t* x, const std::uint8_t* data, std::size_t n) {
    Wiped<std::uint8_t[kPiece]> ignored;
    for (std::size_t left = n / kBlock * kBlock; left != 0;) {
      const std::size_t take = std::min(left, kPiece);
      chain(x, data, ignored.value, take / kBlock);
      data += take;
      left -= take;
    }
    if (n % kBlock == 0) return;
    xor_bytes(x, data, n % kBlock);
    m_.ops.encrypt(keys_, x, x, 1);
  }

  void ccm() {
    std::uint8_t counter[kBlock];
    Wiped<std::uint8_t[kBlock]> x, mask;
    const BlockWords zero = ccm_counter(text_.iv, batch_.iv_bytes);
    store_block(counter, zero);
    store_block(x.value, ccm_first_block(zero, batch_, text_));
    m_.ops.encrypt(keys_, x.value, x.value, 1);
    if (text_.aad_bytes != 0) {
      std::uint8_t first[kBlock];
      const std::size_t taken = ccm_aad_block(first, text_.aad, text_.aad_bytes);
      mac(x.value, first, kBlock);
      mac(x.value, text_.aad + taken, text_.aad_bytes - taken);
    }
    m_.ops.encrypt(keys_, counter, mask.value, 1);
    counter_add(counter, kBlock, 1);
    for (std::size_t at = 0; at < text_.n; at += kPiece) {
      const std::size_t n = std::min(kPiece, text_.n - at);
      if (batch_.encrypts) mac(x.value, text_.in + at, n);
      ctr(counter, 8 * kBlock, text_.in + at, text_.out + at, n);
      if (!batch_.encrypts) mac(x.value, text_.out + at, n);
    }
    xor_bytes(x.value, mask.value, kBlock);
    std::memcpy(text_.tag, x.value, kBlock);
  }

  // GHASH of data, the last block filled with zeros.
  struct Hash {
    const GhashOps& ops;
    const GhashKey* powers;            // nullptr: one block after the other
    Wiped<std::uint8_t[2][kBlock]> e;  // the hash so far, and H

    void whole(const std::uint8_t* data, std::size_t blocks) {
      if (powers != nullptr) return ops.update(*powers, e.value[0], data, blocks);
      constexpr GhashProduct kProduct = {0, 0, 1};
      for (; blocks != 0; --blocks, data += kBlock) {
        xor_bytes(e.value[0], data, kBlock);
        ops.multiply(e.value, &kProduct, 1);
      }
    }
    void add(const std::uint8_t* data, std::size_t n) {
      if (n >= kBlock) whole(data, n / kBlock);
      if (n % kBlock == 0) return;
      Wiped<std::uint8_t[kBlock]> last;
      std::memset(last.value, 0, kBlock);
      std::memcpy(last.value, data + n / kBlock * kBlock, n % kBlock);
      whole(last.value, 1);
    }
    void lengths(std::uint64_t first, std::uint64_t second) {
      std::uint8_t block[kBlock];
      gcm_lengths(block, first, second);
      whole(block, 1);
    }
  };

  void gcm() {
    // From this size on the powers of H are worth their time.
    constexpr std::size_t kLong = 512;
    const bool at_once = gcm_in_one_loop(m_, batch_);
    if (text_.powers != nullptr) {
      return at_once ? m_.ops.gcm->message(keys_, batch_.encrypts, *text_.powers, text_)
                     : gcm(text_.powers);
    }
    if (!at_once && text_.n + text_.aad_bytes < kLong) return gcm(nullptr);
    Wiped<GhashKey> powers;
    Wiped<std::uint8_t[kBlock]> h;
    hash_key(h.value);
    if (!at_once) {
      m_.ghash.expand(h.value, &powers.value);
      return gcm(&powers.value);
    }
    m_.ghash.begin(h.value, &powers.value);
    const auto blocks = [](std::size_t n) { return (n + kBlock - 1) / kBlock; };
    m_.ghash.grow(&powers.value, 1, blocks(text_.n) + blocks(text_.aad_bytes) + 1);
    m_.ops.gcm->message(keys_, batch_.encrypts, powers.value, text_);
  }
  void hash_key(std::uint8_t (&h)[kBlock]) const {
    if (text_.hash != nullptr) {
      std::memcpy(h, text_.hash, kBlock);
    } else {
      std::memset(h, 0, kBlock);
      m_.ops.encrypt(keys_, h, h, 1);
    }
  }

  void gcm(const GhashKey* powers) {
    Hash hash{m_.ghash, powers, {}};
    std::uint8_t(&y)[kBlock] = hash.e.value[0];
    std::uint8_t(&h)[kBlock] = hash.e.value[1];
    if (powers == nullptr) hash_key(h);
    std::memset(y, 0, kBlock);
    std::uint8_t counter[kBlock];
    if (batch_.iv_bytes == 12) {
      store_block(counter, gcm_counter(text_.iv, 1));
    } else {
      hash.add(text_.iv, batch_.iv_bytes);
      hash.lengths(0, batch_.iv_bytes);
      std::memcpy(counter, y, kBlock);
      std::memset(y, 0, kBlock);
    }
    Wiped<std::uint8_t[kBlock]> mask;
    m_.ops.encrypt(keys_, counter, mask.value, 1);
    advance(counter, kBlock, 32, 1);
    hash.add(text_.aad, text_.aad_bytes);
    for (std::size_t at = 0; at < text_.n; at += kPiece) {
      const std::size_t n = std::min(kPiece, text_.n - at);
      if (!batch_.encrypts) hash.add(text_.in + at, n);
      ctr(counter, 32, text_.in + at, text_.out + at, n);
      if (batch_.encrypts) hash.add(text_.out + at, n);
    }
    hash.lengths(text_.aad_bytes, text_.n);
    xor_bytes(mask.value, y, kBlock);
    std::memcpy(text_.tag, mask.value, kBlock);
  }

  const Machine& m_;
  const ManyBatch& batch_;
  const ManyText& text_;
  const RoundKeys& keys_;
  const std::size_t block_;
};

}  // namespace

void run_one(const Machine& machine, const ManyBatch& batch, const ManyText& text) {
  if (text.keys != nullptr) return Message(machine, batch, text, *text.keys).run();
  ScopedRoundKeys keys(machine.spec.round_key_bytes);
  expand_on(machine.spec, machine.ops, text.key, batch.key_bytes, &keys.value);
  if (batch.tweak != nullptr) machine.spec.set_tweak(batch.tweak, &keys.value);
  Message(machine, batch, text, keys.value).run();
}

}  // namespace gpuctr::many
