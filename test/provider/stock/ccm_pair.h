// CCM of libcrypto and ours of the same cipher under the same calls: what the stock one does is
// what ours has to do.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_CCM_PAIR_H
#define GPUCTR_TEST_PROVIDER_STOCK_CCM_PAIR_H

#include "test/provider/stock/aead_pair.h"

namespace gpuctr::test {

class CcmPair : public AeadPair {
 public:
  CcmPair(const Library& library, const CipherSpec& spec, unsigned seed)
      : AeadPair(library, spec, "-CCM", seed) {
    start();
  }
  void step();

 private:
  void start();
  void set_lengths();
  void set_key_and_iv();
  void init();
  void announce(std::size_t n);
  void aad();
  void text();
  void no_text();
  void final();
  bool final_both();
  void set_tag_for(const Bytes& plain);
  void get_tag();
  void set_some_tag();
  void change_length();
  void after_change();
  void fix_iv();
  void records();
  void record();
  void compare_state();

  // Text that came out, or what is left where a call was refused: it may be wiped, or untouched.
  void compare_memory(bool done, const Bytes& before, std::size_t out, std::size_t n);
  bool may_run() const { return key_ != nullptr && iv_set_ && !ended_; }
  // Whether the stock cipher has a length, of a message that ended or is under way: it would go on
  // with that under a new IV.
  bool has_length_ = false;

  const Bytes* key_ = nullptr;
  bool encrypt_ = true;
  bool iv_set_ = false;
  bool announced_ = false;
  std::size_t text_bytes_ = 0;  // where announced_
  bool ended_ = false;          // until the next IV
  bool made_tag_ = false;       // and nobody fetched it
  bool tag_flag_ = false;       // the stock cipher's: a tag is set, or made
  bool tls_ = false;            // all data is records
  std::size_t iv_bytes_ = 7, tag_bytes_ = 12, key_tag_bytes_ = 12;
  Bytes iv_, aad_;
};

}  // namespace gpuctr::test

#endif
