// Cipher block chaining (SP 800-38A 6.2). The engine decrypts. The calling thread encrypts, because
// each block of encryption depends on the previous block.
#include "provider/mode/block/cbc.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/prov_ssl.h>

#include <cstring>

#include "kernels/bulk/base/work.h"
#include "kernels/cpu/xex.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/mode/base/cbc_chain.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {

CipherContext* CbcContext::copy() const { return make_context<CbcContext>(*cipher_, *this); }

bool CbcContext::all_or_nothing(Step& step) {
  const CbcSettings before = *this;
  if (CipherContext::all_or_nothing(step)) return true;
  static_cast<CbcSettings&>(*this) = before;
  return false;
}

bool CbcContext::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks, bool device) {
  if (encrypts()) {
    cbc_chain(ops_, keys_, block_bytes(), chain_, in, out, blocks);
    return true;
  }
  // Copies the last block of ciphertext before the output may overwrite it.
  std::uint8_t last[kMaxBlockBytes];
  const std::uint8_t* const at = in + (blocks - 1) * block_bytes();
  if (!device || !stream_.is_device(in)) {
    copy_chain(last, at, block_bytes());
  } else if (engine().read(at, last, block_bytes()) != BulkStatus::kOk) {
    return false;
  }
  if (!this->blocks(BlockOperation::kDecrypt, chain_, out, in, blocks, device)) return false;
  copy_chain(chain_, last, block_bytes());
  return true;
}

void CbcContext::crypt_small(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks) {
  if (encrypts()) return cbc_chain(ops_, keys_, block_bytes(), chain_, in, out, blocks);
  stream_.made_small(blocks * block_bytes());
  if (ops_.cbc_decrypt != nullptr) return ops_.cbc_decrypt(keys_, chain_, in, out, blocks);
  decrypt_cbc(ops_, block_bytes(), keys_, chain_, in, out, blocks);
}

bool CbcContext::set_tls_version(std::uint64_t version) {
  switch (version) {
    case 0:
    case TLS1_VERSION:
    case TLS1_1_VERSION:
    case TLS1_2_VERSION:
    case DTLS1_BAD_VER:
    case DTLS1_VERSION:
    case DTLS1_2_VERSION:
      tls_version_ = static_cast<unsigned>(version);
      return true;
    default:
      refuse(Reason::kBadParameter, "tls-version = %#llx: %s-CBC serves TLS 1.0 to 1.2",
             static_cast<unsigned long long>(version), cipher_->name);
      return false;
  }
}

bool CbcContext::set_tls_mac_bytes(std::uint64_t bytes) {
  if (bytes > kMaxTlsMac) {
    refuse(Reason::kBadParameter, "tls-mac-size = %llu: at most %zu",
           static_cast<unsigned long long>(bytes), kMaxTlsMac);
    return false;
  }
  tls_mac_.size = static_cast<std::size_t>(bytes);
  return true;
}

bool CbcContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) {
  if (tls_version_ != 0) return update_record(out, written, room, in, n);
  return BlockContext::update(out, written, room, in, n);
}

bool CbcContext::final(std::uint8_t* out, std::size_t* written, std::size_t room) {
  if (tls_version_ == 0) return BlockContext::final(out, written, room);
  *written = 0;
  return check_key() && refuse_record("has no final", 0);
}

bool CbcContext::update_record(std::uint8_t* data, std::size_t* written, std::size_t room,
                               const std::uint8_t* in, std::size_t n) {
  *written = 0;
  const std::size_t block = block_bytes();
  if (!check_key_and_iv()) return false;
  if (in == nullptr || in != data || !padding_) return refuse_record("is padded in place", n);
  const std::size_t padded = encrypts() ? n + tls_padding(n, block) : n;
  if (!check_limit(padded) || !check_room(room, padded)) return false;
  if (padded == 0 || padded % block != 0) return refuse_record("is no whole number of blocks", n);
  if (encrypts()) add_tls_padding(data, n, block);
  if (!crypt(data, data, padded / block, stream_.is_device(data))) return refuse_without_device(n);
  count(n);
  bytes_ += padded - n;
  *written = padded;
  if (encrypts()) return true;
  // From TLS 1.1 on a record begins with its own IV.
  const std::size_t iv = tls_version_ == TLS1_VERSION ? 0 : block;
  std::size_t text = padded - iv;
  const bool valid = remove_tls_padding(data + iv, &text, &tls_mac_);
  *written = valid ? text : 0;
  return valid || refuse_record("has no room for padding and MAC", n);
}

namespace {

CbcContext& cbc(CipherContext& context) { return static_cast<CbcContext&>(context); }

constexpr ContextParam kParams[] = {
    {OSSL_CIPHER_PARAM_TLS_VERSION, OSSL_PARAM_UNSIGNED_INTEGER, nullptr,
     [](CipherContext& c, std::uint64_t version) { return cbc(c).set_tls_version(version); },
     UINT32_MAX},
    {OSSL_CIPHER_PARAM_TLS_MAC_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, nullptr,
     [](CipherContext& c, std::uint64_t bytes) { return cbc(c).set_tls_mac_bytes(bytes); },
     UINT64_MAX},
    {OSSL_CIPHER_PARAM_TLS_MAC, OSSL_PARAM_OCTET_PTR,
     [](CipherContext& c, OSSL_PARAM* param) {
       return answer_octets(param, cbc(c).tls_mac().bytes, cbc(c).tls_mac().size);
     },
     nullptr, 0},
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<CbcContext>(cipher, services, cipher);
}

}  // namespace

const Mode kCbcMode = {"CBC", EVP_CIPH_CBC_MODE, true, false, false, kParams, make, false, 0, 0, 0,
                       0,     kMaxBlockIv};

}  // namespace gpuctr
