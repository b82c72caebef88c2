// Random bytes for keys, IVs and seeds that do not come from a generator.
#ifndef GPUCTR_PROVIDER_CORE_RANDOM_H
#define GPUCTR_PROVIDER_CORE_RANDOM_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

// Fills `out` from the operating system's generator, getentropy(): full entropy for any length, and
// safe after fork(). The module does not call RAND_bytes(), because it is not linked with
// libcrypto. libcrypto's OSSL_FUNC_get_entropy reads the same source through one more buffer.
// False: getentropy() failed.
bool system_random(std::uint8_t* out, std::size_t n);

}  // namespace gpuctr

#endif
