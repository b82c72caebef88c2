// The most stack bytes that functions of the CPU backends use; their callers wipe that much. The
// compiler warns about a larger frame: the build reads these numbers through the probe
// (kernels/cipher/probe.h) for -Wframe-larger-than. The numbers are bounds for GCC 12 and Clang 14
// (GPUCTR_WIPE_FACTOR of wipe.h). kernels_wipe_test finds secrets that stay.
#ifndef GPUCTR_KERNELS_BASE_FRAMES_H
#define GPUCTR_KERNELS_BASE_FRAMES_H

#include <cstddef>

namespace gpuctr {

#ifdef __clang__
constexpr unsigned kMoreSpills = 512;
constexpr unsigned kTablesFrame = 10240;  // a cipher with tables: its byte tables are 4 KB
#else
constexpr unsigned kMoreSpills = 0;
constexpr unsigned kTablesFrame = 6144;
#endif
constexpr unsigned kBitSlicedFrame = 4608;  // the bit-sliced vectors of a batch are 4 KB
constexpr unsigned kGhashFrame = 256, kGhashFrame64 = 64;  // in vectors of 64 bytes none
constexpr unsigned kXtsFrame = 256;                        // the masks of XTS
constexpr unsigned kAesKeysFrame = 384 + kMoreSpills;      // keys of decryption, or masks
constexpr unsigned kGcmFrame = 768 + kMoreSpills;          // GCM's text by AES instructions

// A batch through a cipher's rounds. A cipher with S-boxes has sixteen words of a block, and as
// many again while they are mixed; `box_frame`, if not 0, is the measured value. A cipher with
// blocks of more than 16 bytes may have as many words. AES by AES instructions keeps its state in
// registers, and the low bits of a batch's counters in memory.
constexpr unsigned batch_frame(bool boxes, bool by_aes_instructions, unsigned box_frame,
                               std::size_t block_bytes, unsigned vector_bytes) {
  const unsigned frame = by_aes_instructions ? 512
                         : boxes             ? (box_frame != 0 ? box_frame : 4608)
                         : vector_bytes < 64 && block_bytes <= 16 ? 1536
                                                                  : 2304;
  return frame + kMoreSpills;
}

}  // namespace gpuctr

#endif
