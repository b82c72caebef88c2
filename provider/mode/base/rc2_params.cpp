#include "provider/mode/base/rc2_params.h"

#include <cstring>

#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"

namespace gpuctr {
namespace {

constexpr std::uint8_t kSequence = 0x30, kInteger = 0x02, kOctetString = 0x04;
constexpr std::size_t kMostDer = 9 + kMaxBlockIv;

// RFC 2268 section 6: the version of fewer than 256 bits is looked up in a table.
constexpr struct {
  unsigned bits;
  std::uint8_t version;
} kVersions[] = {{40, 0xa0}, {64, 0x78}, {128, 0x3a}};

// The length of an IV in the context's mode, bytes.
std::size_t iv_bytes_of(const CipherContext& context) {
  return context.mode().iv_bytes(context.spec());
}

// Writes the DER up to the octets of the IV and returns the number of bytes. An INTEGER whose first
// bit is set begins with a zero byte.
std::size_t write_head(std::uint8_t version, std::size_t iv_bytes, std::uint8_t* out) {
  const bool padded = version >= 0x80;
  const std::size_t text = (padded ? 4u : 3u) + 2u + iv_bytes;
  std::size_t n = 0;
  out[n++] = kSequence;
  out[n++] = static_cast<std::uint8_t>(text);
  out[n++] = kInteger;
  out[n++] = padded ? 2 : 1;
  if (padded) out[n++] = 0;
  out[n++] = version;
  out[n++] = kOctetString;
  out[n++] = static_cast<std::uint8_t>(iv_bytes);
  return n;
}

}  // namespace

bool get_rc2_parameters(CipherContext& context, OSSL_PARAM* param) {
  for (const auto& row : kVersions) {
    if (row.bits != context.effective_bits()) continue;
    std::uint8_t der[kMostDer];
    const std::size_t iv = iv_bytes_of(context);
    const std::size_t head = write_head(row.version, iv, der);
    std::memcpy(der + head, context.updated_iv(false), iv);
    if (param->data_type == OSSL_PARAM_OCTET_STRING && answer_octets(param, der, head + iv)) {
      return true;
    }
    context.refuse(Reason::kUnfitAnswer, "%s does not fit %zu bytes of type %u", param->key,
                   param->data_size, param->data_type);
    return false;
  }
  context.refuse(Reason::kRc2Bits, "no number stands for %u effective key bits",
                 context.effective_bits());
  return false;
}

bool set_rc2_parameters(CipherContext& context, const std::uint8_t* der, std::size_t size) {
  const std::size_t iv = iv_bytes_of(context);
  for (const auto& row : kVersions) {
    std::uint8_t head[kMostDer];
    const std::size_t n = write_head(row.version, iv, head);
    if (size != n + iv || std::memcmp(der, head, n) != 0) continue;
    if (!context.set_key_bytes(row.bits / 8)) return false;
    context.set_effective_bits(row.bits);
    context.set_iv(der + n);
    return true;
  }
  context.refuse(Reason::kUnfitAnswer,
                 "%zu bytes are not a version for 40, 64 or 128 bits and an IV of %zu bytes", size,
                 iv);
  return false;
}

}  // namespace gpuctr
