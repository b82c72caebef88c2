// CFB, CFB8, CFB1 and OFB as SP 800-38A 6.3 and 6.4 have them, over the scalar backend.
#ifndef GPUCTR_TEST_PROVIDER_FEEDBACK_MODEL_H
#define GPUCTR_TEST_PROVIDER_FEEDBACK_MODEL_H

#include <string>

#include "kernels/cpu/backend.h"
#include "test/support/vectors.h"

namespace gpuctr::test {

// A byte or a bit at a time, with the state that OpenSSL's ciphers show.
class FeedbackModel {
 public:
  FeedbackModel(const CipherSpec& spec, const std::string& mode) : spec_(spec), mode_(mode) {}
  void set_key(const Bytes& key) { spec_.expand_bytes(key.data(), key.size(), &keys_); }
  void crypt(bool encrypt, const std::uint8_t* in, std::uint8_t* out, std::size_t n, bool bits);

  Bytes iv;
  std::size_t num = 0;

 private:
  Bytes encrypted() const {
    Bytes made(iv.size());
    find_backend("scalar")->ops[spec_.index].encrypt(keys_, iv.data(), made.data(), 1);
    return made;
  }
  void crypt_bit(bool encrypt, const std::uint8_t* in, std::uint8_t* out, std::size_t at);

  const CipherSpec& spec_;
  const std::string mode_;
  RoundKeys keys_;
};

inline void FeedbackModel::crypt_bit(bool encrypt, const std::uint8_t* in, std::uint8_t* out,
                                     std::size_t at) {
  const unsigned mask = 0x80u >> at % 8;
  const unsigned given = (in[at / 8] & mask) != 0 ? 1 : 0;
  const unsigned made = given ^ (encrypted()[0] >> 7);
  out[at / 8] = static_cast<std::uint8_t>((out[at / 8] & ~mask) | (made != 0 ? mask : 0));
  unsigned carry = encrypt ? made : given;
  for (std::size_t i = iv.size(); i-- != 0;) {
    const unsigned moved = iv[i] * 2u + carry;
    iv[i] = static_cast<std::uint8_t>(moved);
    carry = moved >> 8;
  }
}

inline void FeedbackModel::crypt(bool encrypt, const std::uint8_t* in, std::uint8_t* out,
                                 std::size_t n, bool bits) {
  if (mode_ == "CFB1") {
    for (std::size_t i = 0; i < (bits ? n : 8 * n); ++i) crypt_bit(encrypt, in, out, i);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t given = in[i];
    if (mode_ == "CFB8") {
      out[i] = static_cast<std::uint8_t>(given ^ encrypted()[0]);
      iv.erase(iv.begin());
      iv.push_back(encrypt ? out[i] : given);
      continue;
    }
    if (num == 0) iv = encrypted();
    out[i] = static_cast<std::uint8_t>(given ^ iv[num]);
    if (mode_ == "CFB") iv[num] = encrypt ? out[i] : given;
    num = (num + 1) % iv.size();
  }
}

}  // namespace gpuctr::test

#endif
