// CTR_DRBG as SP 800-90A Rev. 1 states it, sections 9, 10.2.1 and 10.3, for a cipher with blocks
// and keys of eight bytes. Step numbers are the standard's.
#ifndef GPUCTR_TEST_PROVE_DRBG_STANDARD_H
#define GPUCTR_TEST_PROVE_DRBG_STANDARD_H

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpuctr::prove {

using Bytes = std::vector<std::uint8_t>;
using Half = std::array<std::uint8_t, 8>;  // a block or a key

struct Limits {
  bool use_df;
  std::uint64_t reseed_interval;
  std::size_t request = 1024;  // 2^13 bits, table 3's row of 64-bit blocks
  std::size_t strength = 2;    // bytes
};

// What a function returns: "" for success.
using Verdict = std::string;

class StandardDrbg {
 public:
  using Cipher = std::function<Half(const Half& key, const Half& block)>;

  StandardDrbg(Cipher cipher, Limits limits) : encrypt_(std::move(cipher)), limits_(limits) {}

  // 9.1 and 10.2.1.3. An instantiation exists until 9.4 removes it.
  Verdict instantiate(const Bytes& entropy, const Bytes& nonce, const Bytes& personalization) {
    if (broken) return "error state";
    if (exists) return "exists";
    Verdict verdict = lengths(entropy, personalization);
    if (verdict.empty() && limits_.use_df && nonce.size() < limits_.strength / 2) verdict = "nonce";
    if (!verdict.empty()) return verdict;
    const Bytes material = limits_.use_df ? df(joined(joined(entropy, nonce), personalization))
                                          : mixed(entropy, personalization);
    key = {};
    v = {};
    update(material);
    reseed_counter = 1;
    exists = true;
    return "";
  }

  // 9.2 and 10.2.1.4.
  Verdict reseed(const Bytes& entropy, const Bytes& additional) {
    if (broken) return "error state";
    if (!exists) return "does not exist";
    const Verdict verdict = lengths(entropy, additional);
    if (!verdict.empty()) return verdict;
    update(limits_.use_df ? df(joined(entropy, additional)) : mixed(entropy, additional));
    reseed_counter = 1;
    return "";
  }

  // 9.3 and 10.2.1.5 for one request.
  Verdict generate(std::size_t n, const Bytes& additional, Bytes* out) {
    if (broken) return "error state";
    if (!exists) return "does not exist";
    if (n > limits_.request) return "request";
    if (!limits_.use_df && additional.size() > 16) return "too long";
    if (reseed_counter > limits_.reseed_interval) return "reseed";  // step 1
    Bytes input(16, 0);                                             // step 2
    if (!additional.empty()) {
      input = limits_.use_df ? df(additional) : mixed(additional, {});
      update(input);
    }
    Bytes temp;  // steps 3 to 5
    while (temp.size() < n) {
      increment();
      const Half block = encrypt_(key, v);
      temp.insert(temp.end(), block.begin(), block.end());
    }
    temp.resize(n);
    update(input);     // step 6
    ++reseed_counter;  // step 7
    out->insert(out->end(), temp.begin(), temp.end());
    return "";
  }

  // 9.4.
  void uninstantiate() {
    key = {};
    v = {};
    reseed_counter = 0;
    exists = broken = false;
  }

  // 11.3.6, an error that is not the caller's.
  void break_down() {
    uninstantiate();
    broken = true;
  }

  Half key = {}, v = {};
  std::uint64_t reseed_counter = 0;
  bool exists = false, broken = false;

 private:
  static Bytes joined(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static Bytes mixed(Bytes a, const Bytes& b) {  // padded to seedlen
    a.resize(16, 0);
    for (std::size_t i = 0; i < b.size(); ++i) a[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
    return a;
  }
  Verdict lengths(const Bytes& entropy, const Bytes& other) const {
    if (entropy.size() < (limits_.use_df ? limits_.strength : 16)) return "too little entropy";
    if (!limits_.use_df && entropy.size() > 16) return "too much entropy";
    return !limits_.use_df && other.size() > 16 ? "too long" : "";
  }
  void increment() {
    for (std::size_t i = 8; i-- != 0 && ++v[i] == 0;) {
    }
  }
  void update(const Bytes& provided) {  // 10.2.1.2
    Bytes temp;
    while (temp.size() < 16) {
      increment();
      const Half block = encrypt_(key, v);
      temp.insert(temp.end(), block.begin(), block.end());
    }
    for (std::size_t i = 0; i < 8; ++i) {
      key[i] = static_cast<std::uint8_t>(temp[i] ^ provided[i]);
      v[i] = static_cast<std::uint8_t>(temp[8 + i] ^ provided[8 + i]);
    }
  }
  Half bcc(const Half& with, const Bytes& data) const {  // 10.3.3
    Half chain = {};
    for (std::size_t at = 0; at < data.size(); at += 8) {
      for (std::size_t i = 0; i < 8; ++i) {
        chain[i] = static_cast<std::uint8_t>(chain[i] ^ data[at + i]);
      }
      chain = encrypt_(with, chain);
    }
    return chain;
  }
  Bytes df(const Bytes& input) const {  // 10.3.2, for seedlen bytes
    const auto length = static_cast<std::uint8_t>(input.size());
    Bytes s = joined({0, 0, 0, length, 0, 0, 0, 16}, input);
    s.push_back(0x80);
    while (s.size() % 8 != 0) s.push_back(0);
    const Half counting = {0, 1, 2, 3, 4, 5, 6, 7};
    const Half k = bcc(counting, joined({0, 0, 0, 0, 0, 0, 0, 0}, s));
    Half x = bcc(counting, joined({0, 0, 0, 1, 0, 0, 0, 0}, s));
    Bytes out;
    for (int i = 0; i < 2; ++i) {
      x = encrypt_(k, x);
      out.insert(out.end(), x.begin(), x.end());
    }
    return out;
  }

  Cipher encrypt_;
  Limits limits_;
};

}  // namespace gpuctr::prove

#endif
