// Bytes of stack that functions of the CPU backends keep, at most, and that their callers wipe. The
// compiler warns about a larger frame: the build takes these numbers for -Wframe-larger-than by the
// probe (kernels/cipher/probe.h). They are bounds of GCC 12 and Clang 14 (GPUCTR_WIPE_FACTOR of
// wipe.h), and kernels_wipe_test finds what stays.
#ifndef GPUCTR_KERNELS_BASE_FRAMES_H
#define GPUCTR_KERNELS_BASE_FRAMES_H

#include <cstddef>

namespace gpuctr {

#ifdef __clang__
constexpr unsigned kMoreSpills = 512;
constexpr unsigned kTablesFrame = 10240;  // a cipher with tables: their planes are 4 KB
#else
constexpr unsigned kMoreSpills = 0;
constexpr unsigned kTablesFrame = 6144;
#endif
constexpr unsigned kBitSlicedFrame = 4608;  // the planes of a batch are 4 KB
constexpr unsigned kGhashFrame = 256;
constexpr unsigned kGcmFrame = 256;  // what GCM's loop has beyond a batch of AES

// A batch through a cipher's rounds. A cipher with S-boxes has sixteen words of a block, and as
// many again while they are mixed; `box_frame`, if not 0, is measured for it. A cipher with blocks
// of more than 16 bytes may have as many words. AES by its instructions keeps its state in
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
