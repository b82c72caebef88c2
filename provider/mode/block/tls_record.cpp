#include "provider/mode/block/tls_record.h"

#include <algorithm>
#include <cstring>

namespace gpuctr {
namespace {

// less(): all ones if a < b, else 0. equal(): all ones if a == b, else 0. The values are far below
// 2^63.
std::size_t less(std::size_t a, std::size_t b) { return 0 - ((a - b) >> 63); }
std::size_t equal(std::size_t a, std::size_t b) { return less(a ^ b, 1); }

// The longest padding of a record, bytes, its length byte included.
constexpr std::size_t kMaxPadding = 256;

// All ones if the last bytes of the text are correct padding and the rest has room for a MAC; else
// 0.
std::size_t good_padding(const std::uint8_t* text, std::size_t n, std::size_t mac_bytes) {
  const std::size_t length = text[n - 1];
  std::size_t wrong = less(n, mac_bytes + 1 + length);
  for (std::size_t i = 0; i < std::min(kMaxPadding, n); ++i) {
    wrong |= ~less(length, i) & (text[n - 1 - i] ^ length);
  }
  return equal(wrong & 0xff, 0);
}

}  // namespace

void add_tls_padding(std::uint8_t* text, std::size_t n, std::size_t block) {
  const std::size_t count = tls_padding(n, block);
  std::memset(text + n, static_cast<int>(count - 1), count);
}

// The MAC ends `padding` bytes before the end of the text, and `padding` is secret. So the loop
// reads every position where a byte of the MAC can be.
bool remove_tls_padding(const std::uint8_t* text, std::size_t* n, TlsMac* mac) {
  const std::size_t all = *n;
  if (all < mac->size + 1) return false;
  const std::size_t good = good_padding(text, all, mac->size);
  if (mac->size == 0 && good == 0) return false;
  const std::size_t padding = good & (std::size_t{text[all - 1]} + 1);
  *n = all - padding - mac->size;
  const std::size_t first = all - std::min(all, mac->size + kMaxPadding);
  std::memset(mac->bytes, 0, sizeof mac->bytes);
  for (std::size_t j = 0; j < mac->size; ++j) {
    std::size_t byte = 0;
    for (std::size_t at = first + j; at + mac->size <= all + j; ++at) {
      byte |= equal(at, *n + j) & text[at];
    }
    mac->bytes[j] = static_cast<std::uint8_t>(byte & good);
  }
  return true;
}

}  // namespace gpuctr
