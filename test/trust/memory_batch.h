// The story of trust_out_of_memory that has many messages in one call.
#ifndef GPUCTR_TEST_TRUST_MEMORY_BATCH_H
#define GPUCTR_TEST_TRUST_MEMORY_BATCH_H

#include <openssl/evp.h>

#include <cstdint>

namespace gpuctr::trust {

// Makes a batch under a table of keys, from texts in no order, and makes it again in a copy of the
// context. 1: both are right; 0: a call failed; -1: the copy's bytes differ. `data` has 400 bytes.
int batch_of_messages(OSSL_LIB_CTX* lib, std::uint8_t* data);

}  // namespace gpuctr::trust

#endif
