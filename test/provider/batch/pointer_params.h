// Parameters with octet pointers.
#ifndef GPUCTR_TEST_PROVIDER_BATCH_POINTER_PARAMS_H
#define GPUCTR_TEST_PROVIDER_BATCH_POINTER_PARAMS_H

#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuctr::test {

// The pointers and numbers live as long as the object.
class PointerParams {
 public:
  PointerParams& add(const char* key, const void* data, std::size_t bytes) {
    entries_.push_back({key, false, const_cast<void*>(data), 0, bytes});
    return *this;
  }
  PointerParams& number(const char* key, std::uint64_t value) {
    entries_.push_back({key, true, nullptr, value, sizeof value});
    return *this;
  }
  const OSSL_PARAM* list() {
    list_.clear();
    for (Entry& e : entries_) {
      list_.push_back(e.is_number ? OSSL_PARAM_construct_uint64(e.key, &e.number)
                                  : OSSL_PARAM_construct_octet_ptr(e.key, &e.pointer, e.bytes));
    }
    list_.push_back(OSSL_PARAM_construct_end());
    return list_.data();
  }
  int set(EVP_CIPHER_CTX* ctx) { return EVP_CIPHER_CTX_set_params(ctx, list()); }

 private:
  struct Entry {
    const char* key;
    bool is_number;
    void* pointer;
    std::uint64_t number;
    std::size_t bytes;
  };
  std::vector<Entry> entries_;
  std::vector<OSSL_PARAM> list_;
};

}  // namespace gpuctr::test

#endif
