// GCM-SIV of libcrypto and ours of the same cipher under the same calls: what the stock one does is
// what ours has to do.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_GCM_SIV_PAIR_H
#define GPUCTR_TEST_PROVIDER_STOCK_GCM_SIV_PAIR_H

#include "test/provider/stock/aead_pair.h"

namespace gpuctr::test {

class GcmSivPair : public AeadPair {
 public:
  GcmSivPair(const Library& library, const CipherSpec& spec, unsigned seed)
      : AeadPair(library, spec, "-GCM-SIV", seed) {
    start();
  }
  void step();

 private:
  void start();
  void init();
  void aad();
  void encrypt();
  void decrypt();
  void final();
  void set_some_tag();
  void get_some_tag();
  void set_some_number();
  void compare_state();

  const Bytes* key_ = nullptr;
  bool encrypt_ = true;
  Bytes iv_;
  Bytes aad_;  // which stays for later messages
};

}  // namespace gpuctr::test

#endif
