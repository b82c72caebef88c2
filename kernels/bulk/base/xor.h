// The CPU's part of a device's job: data XOR keystream, in the widest vectors of this CPU.
#ifndef GPUCTR_KERNELS_BULK_BASE_XOR_H
#define GPUCTR_KERNELS_BULK_BASE_XOR_H

#include <cstddef>
#include <cstdint>

namespace gpuctr::bulk {

// out[i] = in[i] ^ keystream[i], or keystream[i] if in is nullptr. Any alignment; in == out is
// allowed. `bypass`: stores bypass the caches; for large outputs that differ from the input and are
// not read again soon.
void xor_keystream(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t n, bool bypass);

// The implementations of xor_keystream(), best first; the last runs on every CPU.
struct XorForm {
  const char* name;
  bool (*available)();  // on this CPU
  void (*run)(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
              std::size_t n, bool bypass);
};
struct XorForms {
  const XorForm* first;
  std::size_t count;
};
XorForms xor_forms();

// Prefetches the first of n bytes that the caller reads next. Hardware prefetchers stop at the end
// of a 4 KiB page, and `openssl enc` reads 4 KiB at a time.
void fetch_ahead(const std::uint8_t* keystream, std::size_t n);

}  // namespace gpuctr::bulk

#endif
