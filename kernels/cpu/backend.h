// A backend runs every cipher of the table on one instruction set. Each backend has one file and
// one struct.
#ifndef GPUCTR_KERNELS_CPU_BACKEND_H
#define GPUCTR_KERNELS_CPU_BACKEND_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/base/many.h"
#include "kernels/cpu/base/siv_ctr.h"
#include "kernels/cpu/base/xts_ops.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr {

// The key schedule of a cipher on the backend with the functions `ops`.
inline void expand_on(const CipherSpec& spec, const CipherOps& ops, const std::uint8_t* key,
                      std::size_t bytes, RoundKeys* out) {
  (ops.expand != nullptr ? ops.expand : spec.expand_bytes)(key, bytes, out);
}

// Whether both parts of GCM are made in one loop (CipherOps::gcm). If the key has more powers than
// the loop uses, two passes are faster, because the separate hash uses wider vectors.
inline bool in_one_loop(const CipherOps& cpu, const GhashOps& ghash) {
  return cpu.gcm != nullptr && cpu.gcm->powers == ghash.powers;
}

// Whether the cipher is constant time, in key and data, on a backend.
inline bool is_constant_time(const CipherSpec& spec, const CipherOps& ops) {
  return spec.constant_time || ops.constant_time;
}

struct Backend {
  const char* name;     // as in openssl.cnf's `cpu = `
  bool (*available)();  // whether this CPU can run the backend; cheap
  CipherOps ops[kCipherCount];
  // Many messages in one call (many/many.h): nullptr for a cipher without such a form; the modes
  // for blocks of 8 and of 16 bytes.
  const ManyOps* many[kCipherCount];
  const ManyModes* many_modes[2];
  const GhashOps* ghash;  // never nullptr; the same implementation for the life of the process
  XtsMasks xts_masks;     // likewise
  SivCtr siv_ctr;         // of AES; nullptr: none
};

// The CPU backends of this build, best first. The last is scalar, which runs on every CPU. This CPU
// may not support every backend of the list.
struct BackendList {
  const Backend* const* first;
  std::size_t count;
};
BackendList cpu_backends();

// The backend of this build with this name, or nullptr.
const Backend* find_backend(const char* name);

// For a cipher that is not constant time on all backends: the one backend on which it is, or
// nullptr.
const char* constant_time_backend(const CipherSpec& spec);

// The best backend that this CPU supports.
const Backend& best_backend();

}  // namespace gpuctr

#endif
