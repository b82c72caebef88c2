// A stock cipher of libcrypto and one of ours under the same calls: what the stock one does is what
// ours has to do. The tests model nothing but how bytes of one cipher become bytes of the other.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_PAIR_H
#define GPUCTR_TEST_PROVIDER_STOCK_PAIR_H

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "test/provider/reference.h"
#include "test/provider/support.h"

namespace gpuctr::test {

// One block of a block cipher. For a stock cipher through a context of its own, for ours by the
// scalar backend.
class RawBlock {
 public:
  explicit RawBlock(const CipherSpec& ours) : spec_(&ours) {}
  explicit RawBlock(Evp<EVP_CIPHER> stock_ecb) : stock_(std::move(stock_ecb)) {}
  Bytes operator()(const Bytes& key, const Bytes& block, bool encrypt = true) const;

 private:
  const CipherSpec* spec_ = nullptr;
  Evp<EVP_CIPHER> stock_;
};

// The ciphers that have a stock one to be compared with: the longest block of those has 16 bytes.
inline std::vector<std::size_t> ciphers_with_pairs() {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).block_bytes <= 16) indices.push_back(i);
  }
  return indices;
}

// `scale`: its bytes for each byte of ours. A stock cipher with a block twice as large as ours gets
// everything twice as long, so that both are at the same place in their blocks.
struct Side {
  Side(Evp<EVP_CIPHER> cipher_, RawBlock raw_, std::size_t scale_)
      : cipher(std::move(cipher_)), raw(std::move(raw_)), scale(scale_) {}

  Evp<EVP_CIPHER> cipher;
  RawBlock raw;
  std::size_t scale;
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  std::vector<Bytes> keys;
  Bytes memory;  // where input and output of a call lie
};

struct Answer {
  int status = 0;
  std::size_t bytes = 0;  // in ours
  bool operator==(const Answer& other) const {
    return status == other.status && bytes == other.bytes;
  }
};
inline std::ostream& operator<<(std::ostream& out, const Answer& a) {
  return out << a.status << ", " << a.bytes << " bytes";
}

enum class Update { kEncrypt, kDecrypt, kCipher, kOneShot };

// Where a call reads and writes, in bytes of ours from the start of a side's memory.
struct Place {
  std::size_t in = 0;
  std::size_t out = 0;
};

class Pair {
 public:
  static constexpr std::size_t kMemory = 4096;
  static constexpr std::size_t kKeys = 3;

  Pair(Side stock_side, Side our_side, unsigned seed);

  std::size_t pick(std::size_t n) { return random() % n; }  // 0 .. n - 1
  bool chance(unsigned percent) { return random() % 100 < percent; }
  Bytes bytes(std::size_t n);
  // Sizes of which most are about a block, and some are large.
  std::size_t some_size();

  // Calls f on both sides: the status must be the same, and the errors on the queue.
  template <class F>
  int both(F f) {
    ERR_clear_error();
    const int theirs = f(stock);
    const std::string expected = take_reasons();
    const int status = f(ours);
    EXPECT_EQ(status, theirs);
    EXPECT_EQ(take_reasons(), expected);
    return theirs;
  }

  // One call with data, the same on both sides; each side's input lies in its memory already.
  Answer call(Update how, std::size_t n, Place place);
  static Answer call_one(Side* side, Update how, std::size_t n, Place place);
  // One that ours has to refuse, and that the stock side does not get: nothing may change.
  void refused(Update how, std::size_t n, Place place);
  void write_input(Side* side, std::size_t at, const Bytes& in);
  // Both contexts are copied. Copies or originals go on; the others are used and forgotten.
  void copy();
  // Ends a message of a mode that keeps no data back.
  void final_of_nothing();

  template <class... Parts>
  void log(const Parts&... parts) {
    (log_ << ... << parts) << "\n";
  }
  std::string history() const { return log_.str(); }

  std::mt19937 random;
  Side stock, ours;
  std::size_t block;  // of ours

 private:
  std::ostringstream log_;
};

}  // namespace gpuctr::test

#endif
