// The CPU's half of a device's job: data XOR keystream, in the widest vectors that this CPU has.
#ifndef GPUCTR_KERNELS_BULK_BASE_XOR_H
#define GPUCTR_KERNELS_BULK_BASE_XOR_H

#include <cstddef>
#include <cstdint>

namespace gpuctr::bulk {

// out[i] = in[i] ^ keystream[i], or keystream[i] where in is nullptr. Any alignment; in == out is
// allowed. `bypass`: stores bypass the caches, for large outputs that are not read again soon and
// are not the input.
void xor_keystream(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t n, bool bypass);

// Starts fetching the first of n bytes that will be asked for next. Caches fetch ahead by
// themselves, but only within a page of 4 KiB, which is as much as `openssl enc` takes at a time.
void fetch_ahead(const std::uint8_t* keystream, std::size_t n);

}  // namespace gpuctr::bulk

#endif
