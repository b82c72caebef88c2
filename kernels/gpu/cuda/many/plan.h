// How a batch of messages is cut and ordered for the device. Uses no CUDA.
#ifndef GPUCTR_KERNELS_GPU_CUDA_MANY_PLAN_H
#define GPUCTR_KERNELS_GPU_CUDA_MANY_PLAN_H

#include <cstddef>
#include <cstdint>

namespace gpuctr::cuda {

// A part of a message that one warp makes: bytes from part * piece_bytes on.
struct ManyPiece {
  std::uint32_t message;
  std::uint32_t part;
};

// The pieces of one launch. A warp takes `tile` pieces at a time: the longer they are, the fewer.
struct ManyClass {
  std::uint32_t first;  // in the list
  std::uint32_t pieces;
  std::uint32_t tile;
};

struct ManyPlan {
  static constexpr std::uint32_t kPieceBytes = 1u << 14;
  static constexpr std::uint32_t kWhole = 0xfffffff0;  // more than any message
  static constexpr unsigned kClasses = 3;
  static constexpr unsigned kTile = 32;

  // lengths == nullptr: all messages have `length` bytes. whole: no message is cut. `warps`: how
  // many the device runs at a time.
  ManyPlan(const std::uint32_t* lengths, std::uint32_t length, std::size_t count, bool whole,
           unsigned warps);

  bool fits = true;  // the pieces have numbers of 32 bits
  bool has_list = false;
  std::uint32_t piece_bytes = kWhole;
  std::uint32_t parts = 1;  // of a message, without a list
  unsigned classes = 1;
  ManyClass of[kClasses] = {};
  std::uint64_t pieces = 0;
  std::uint32_t longest = 0;
  std::uint64_t bytes = 0;

  // Writes the pieces in order of their length, `pieces` of them.
  void write(const std::uint32_t* lengths, std::size_t count, ManyPiece* list) const;

 private:
  static constexpr unsigned kBuckets = 34;
  static unsigned bucket(std::uint32_t bytes);
  template <class Take>
  void each_piece(const std::uint32_t* lengths, std::size_t count, Take take) const;
};

}  // namespace gpuctr::cuda

#endif
