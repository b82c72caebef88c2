// A backend: something that can run every cipher of the table. One file a backend, one struct each.
#ifndef GPUCTR_KERNELS_CPU_BACKEND_H
#define GPUCTR_KERNELS_CPU_BACKEND_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr {

// The Key of one request of CTR_DRBG, and the first counter block of its output. Secret.
struct ChainLink {
  std::uint8_t key[kMaxKeyBytes];
  std::uint8_t counter[kMaxBlockBytes];
};

// One cipher on one CPU backend. Pointers need no alignment; in == out is allowed, partial overlap
// is not. Thread-safe, cannot fail, keeps no state, leaves no secret on the stack.
struct CipherOps {
  // CTR mode: out[i] = in[i] ^ keystream[i], or keystream[i] where in is nullptr, for n bytes, n
  // any number. The first counter block is `counter` (block_bytes, big-endian, wraps modulo 2^(8
  // block)). The caller advances the counter.
  void (*ctr)(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
              std::uint8_t* out, std::size_t n);
  // ECB: whole blocks.
  void (*encrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);
  void (*decrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);
  // A step of CTR_DRBG: n bytes of CTR keystream from the counter block `counter` on, n any number,
  // to `out`, and to `seed` the kSeedBlocks whole blocks that follow it: as many as hold a key and
  // a block. The next step waits for them, so they come with the least delay.
  void (*step)(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out, std::size_t n,
               std::uint8_t* seed);
  // `count` requests of CTR_DRBG, one after the other and without additional input, but for their
  // output, of which each makes `blocks` blocks: writes the links, and leaves in `key` and `v`
  // (key_bytes, block_bytes) those after the last request.
  void (*chain)(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                std::size_t count);
  // The same with the output, n bytes each, to `out`. nullptr, or false with nothing done: chain
  // and ctr, or steps, are no slower.
  bool (*requests)(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
                   std::size_t count);
};

template <class C>
constexpr std::size_t kSeedBlocks = C::kKeyBytes / (C::kWords * sizeof(typename C::Word)) +
                                    (C::kKeyBytes % (C::kWords * sizeof(typename C::Word)) != 0) +
                                    1;

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

// The best backend this CPU has.
const Backend& best_backend();

}  // namespace gpuctr

#endif
