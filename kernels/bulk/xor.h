// The CPU's half of a card's job: data XOR keystream, as wide as this CPU goes.
#ifndef GPUCTR_KERNELS_BULK_XOR_H
#define GPUCTR_KERNELS_BULK_XOR_H

#include <cstddef>
#include <cstdint>

namespace gpuctr::bulk {

// out[i] = in[i] ^ keystream[i], or keystream[i] where in is nullptr. Any alignment; in == out is
// allowed. `bypass` writes round the cache: for large outputs that are not read again soon and are
// not also the input.
void xor_keystream(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t n, bool bypass);

}  // namespace gpuctr::bulk

#endif
