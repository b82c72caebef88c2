// A backend: something that can run every cipher of the table. One file a backend, one struct each.
#ifndef GPUCTR_KERNELS_CPU_BACKEND_H
#define GPUCTR_KERNELS_CPU_BACKEND_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr {

// The key schedule of a cipher on a backend whose functions are `ops`.
inline void expand_on(const CipherSpec& spec, const CipherOps& ops, const std::uint8_t* key,
                      std::size_t bytes, RoundKeys* out) {
  (ops.expand != nullptr ? ops.expand : spec.expand_bytes)(key, bytes, out);
}

// Whether the cipher is constant time on a backend, with respect to key and data.
inline bool is_constant_time(const CipherSpec& spec, const CipherOps& ops) {
  return spec.constant_time || ops.constant_time;
}

struct Backend {
  const char* name;     // as in openssl.cnf's `cpu = `
  bool (*available)();  // whether this CPU can run it; cheap
  CipherOps ops[kCipherCount];
  const GhashOps* ghash;  // never nullptr; of one form for the life of the process
};

// The CPU backends compiled into this build, best first; the last is scalar, which every CPU has.
// A backend listed may still be unavailable on this CPU.
struct BackendList {
  const Backend* const* first;
  std::size_t count;
};
BackendList cpu_backends();

// The compiled backend with this name, or nullptr.
const Backend* find_backend(const char* name);

// The one backend on which a cipher is constant time that is not so on all of them, or nullptr.
const char* constant_time_backend(const CipherSpec& spec);

// The best backend this CPU has.
const Backend& best_backend();

}  // namespace gpuctr

#endif
