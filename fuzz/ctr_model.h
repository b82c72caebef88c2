// What a counter mode context should be, kept as plain numbers: the block index since the IV, and
// how much of the block before it is used.
#ifndef GPUCTR_FUZZ_CTR_MODEL_H
#define GPUCTR_FUZZ_CTR_MODEL_H

#include <algorithm>
#include <optional>

#include "fuzz/input.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::fuzz {

// The counter block `index` steps behind `iv`: addition within the low `bits` bits.
inline Bytes counter_at(const Bytes& iv, unsigned bits, std::uint64_t index) {
  using Wide = unsigned __int128;
  Wide value = 0;
  for (const std::uint8_t b : iv) value = value << 8 | b;
  const Wide field = bits == 128 ? ~Wide{0} : (Wide{1} << bits) - 1;
  value = (value & ~field) | ((value + index) & field);
  Bytes out(iv.size());
  for (std::size_t i = iv.size(); i-- != 0; value >>= 8) out[i] = static_cast<std::uint8_t>(value);
  return out;
}

struct CtrModel {
  explicit CtrModel(const CipherSpec& cipher)
      : spec(&cipher), bits(static_cast<unsigned>(8 * cipher.block_bytes)) {}

  const CipherSpec* spec;
  std::optional<Bytes> key, iv;
  unsigned bits;
  std::uint64_t blocks = 0;  // begun since the IV was set
  std::size_t num = 0;
  std::uint64_t had = 0;   // bytes of this key
  std::uint64_t most = 0;  // of them; 0: no limit

  void restart() {
    blocks = 0;
    num = 0;
  }
  bool ready() const { return key && iv; }
  std::size_t block() const { return spec->block_bytes; }
  std::uint64_t blocks_for(std::size_t n) const {
    const std::size_t rest = num == 0 ? 0 : block() - num;
    return n <= rest ? 0 : (n - rest + block() - 1) / block();
  }
  std::uint64_t blocks_left() const {
    return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - blocks;
  }
  bool within_limit(std::size_t n) const {
    return most == 0 || n == 0 || (had <= most && n <= most - had);
  }
  // Whether n > 0 bytes may come now.
  bool allows(std::size_t n) const {
    return ready() && within_limit(n) && blocks_for(n) <= blocks_left();
  }

  // The keystream of the next n bytes, from the scalar backend's single blocks.
  Bytes keystream(std::size_t n) const {
    const std::uint64_t first = num == 0 ? blocks : blocks - 1;
    const std::size_t count = (num + n + block() - 1) / block();
    Bytes out(count * block());
    for (std::size_t i = 0; i < count; ++i) {
      const Bytes at = counter_at(*iv, bits, first + i);
      std::copy(at.begin(), at.end(), out.begin() + static_cast<std::ptrdiff_t>(i * block()));
    }
    RoundKeys keys;
    spec->expand(key->data(), &keys);
    find_backend("scalar")->ops[spec->index].encrypt(keys, out.data(), out.data(), count);
    out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(num));
    out.resize(n);
    return out;
  }
  Bytes crypt(Bytes data) const {
    const Bytes stream = keystream(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::uint8_t>(data[i] ^ stream[i]);
    }
    return data;
  }
  void advance(std::size_t n) {
    blocks += blocks_for(n);
    num = (num + n) % block();
    had += n;
  }
};

}  // namespace gpuctr::fuzz

#endif
