// The facts that the build reads from the definitions. kernels/cmake/Ciphers.cmake compiles a
// program that includes all definitions, never runs it, and reads a line for each cipher from its
// data. A line has words NAME=VALUE.
#ifndef GPUCTR_KERNELS_CIPHER_PROBE_H
#define GPUCTR_KERNELS_CIPHER_PROBE_H

#include "kernels/base/frames.h"
#include "kernels/cipher/facts.h"

namespace gpuctr {

struct ProbeLine {
  char text[512] = {};
  unsigned size = 0;

  constexpr void put(const char* string) {
    while (*string != '\0') text[size++] = *string++;
  }
  constexpr void put(const char* name, std::size_t value) {
    put(name);
    char digits[20] = {};
    unsigned count = 0;
    do {
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    while (count != 0) text[size++] = digits[--count];
  }
};

template <class C>
constexpr ProbeLine probe(const char* folder) {
  constexpr CipherFacts kFacts = C::kFacts;
  ProbeLine line;
  line.put("gpuctr-cipher folder=");
  line.put(folder);
  line.put(" name=");
  line.put(C::kName);
  line.put(" block=", BlockBytes<C>::kValue);
  line.put(" key=", C::kKeyBytes);
  line.put(" most_key=", KeyRange<C>::kMost);
  line.put(" schedule=", ScheduleBytes<C>::kValue);
  line.put(" tweak=", kFacts.tweak_bytes);
  line.put(" word=", sizeof(typename C::Word));
  line.put(" legacy=", kFacts.legacy);
  line.put(" generator=", kFacts.has_generator());
  line.put(" boxes=", kFacts.boxes);
  line.put(" tables=", kFacts.tables);
  line.put(" bit_sliced=", kFacts.bit_sliced);
  line.put(" aes_rounds=", kFacts.aes_rounds);
  line.put(" rotations=", kFacts.rotations);
  line.put(" rotation_sums=", kFacts.rotation_sums);
  // The largest frames of its functions: with vectors below 64 bytes, with vectors of 64 bytes,
  // with AES instructions, and with GFNI and 32 registers.
  const auto frame = [&](bool aes, unsigned box_frame, unsigned vector_bytes) {
    return kFacts.tables ? kTablesFrame
           : kFacts.bit_sliced
               ? kBitSlicedFrame
               : batch_frame(kFacts.boxes, aes, box_frame, BlockBytes<C>::kValue, vector_bytes);
  };
  line.put(" frame=", frame(false, 0, 32));
  line.put(" frame_64=", frame(false, 0, 64));
  line.put(" frame_aes=", frame(kFacts.aes_rounds, 0, 32));
  line.put(" frame_64_gfni=", frame(kFacts.aes_rounds, kFacts.affine_frame, 64));
  line.put(" ghash_frame=", kGhashFrame);
  line.put(" ghash_frame_64=", kGhashFrame64);
  line.put(" xts_frame=", kXtsFrame);
  line.put(" gcm_frame=", kGcmFrame);
  line.put(" siv_frame=", batch_frame(true, true, 0, 16, 32));
  line.put(" aes_xts_frame=", kAesKeysFrame);
  line.put(" ");
  return line;
}

template <std::size_t kCount>
struct ProbeLines {
  ProbeLine lines[kCount];
};
template <class... C>
constexpr ProbeLines<sizeof...(C)> probe_all(const char* folder, CipherList<C...>) {
  return {{probe<C>(folder)...}};
}

}  // namespace gpuctr

#endif
