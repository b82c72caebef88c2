// The methods of "High Performance ARIA Block Cipher Implementation on Graphics Processing Unit",
// rebuilt from its section 5 and its authors' repository (NesquikPlus/aria_cuda): the text as bytes
// in registers, round keys in shared memory, the four boxes as bytes in shared or in constant
// memory; one thread a block, or four that exchange their bytes through shared memory before each
// diffusion. Decryption is encryption with other round keys. In its favour a thread reads and
// writes its bytes at once, where the authors' code does it byte by byte.
#ifndef GPUCTR_TEST_BENCH_PAPERS_ARIA_CUH
#define GPUCTR_TEST_BENCH_PAPERS_ARIA_CUH

#include "kernels/cipher/aria/aria.h"
#include "kernels/cipher/registry.h"

namespace gpuctr::papers {

constexpr unsigned kAriaKeyBytes = 17 * 16;
constexpr unsigned kMostThreads = 512;

struct AriaBoxes {
  std::uint8_t bytes[4][256] = {};
  constexpr AriaBoxes() {
    for (unsigned x = 0; x < 256; ++x) {
      bytes[0][x] = AesBox::at(x);
      bytes[1][x] = AriaBox2::at(x);
      bytes[2][x] = AesInverseBox::at(x);
      bytes[3][x] = AriaInverseBox2::at(x);
    }
  }
};
__device__ const AriaBoxes kBoxesToLoad;
__constant__ AriaBoxes kConstantBoxes;

// Where the boxes are looked up, after load() by a whole thread block.
struct InConstant {
  static constexpr const char* kText = "constant";
  __device__ static void load() {}
  __device__ static std::uint32_t look(unsigned box, std::uint32_t x) {
    return kConstantBoxes.bytes[box][x];
  }
};
struct InShared {
  static constexpr const char* kText = "shared";
  __device__ static std::uint8_t* boxes() {
    __shared__ std::uint8_t bytes[1024];
    return bytes;
  }
  __device__ static void load() {
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
      boxes()[i] = kBoxesToLoad.bytes[i / 256][i % 256];
  }
  __device__ static std::uint32_t look(unsigned box, std::uint32_t x) {
    return boxes()[256 * box + x];
  }
};

template <class B>
constexpr unsigned kBoxIndex = std::is_same_v<B, AesBox>          ? 0
                               : std::is_same_v<B, AriaBox2>      ? 1
                               : std::is_same_v<B, AesInverseBox> ? 2
                                                                  : 3;

// A byte in a register, for the definition's rounds.
template <class Place>
struct Byte {
  std::uint32_t v;
  __device__ friend Byte operator^(Byte a, Byte b) { return {a.v ^ b.v}; }
  template <class B>
  __device__ Byte sub() const {
    return {Place::look(kBoxIndex<B>, v)};
  }
};
template <class Place, unsigned kRounds>
struct SharedKeys {
  const std::uint8_t* bytes;
  __device__ Byte<Place> operator()(unsigned i) const { return {bytes[i]}; }
  __device__ static constexpr unsigned stored(unsigned) { return kRounds; }
};

__device__ __forceinline__ std::uint32_t byte_of(std::uint32_t word, unsigned i) {
  return word >> (8 * i) & 0xff;
}
template <class Place>
__device__ __forceinline__ std::uint32_t join(const Byte<Place>* x) {
  return x[0].v | x[1].v << 8 | x[2].v << 16 | x[3].v << 24;
}

__device__ __forceinline__ std::uint8_t* load_keys(const std::uint8_t* keys) {
  __shared__ std::uint8_t shared[kAriaKeyBytes];
  for (unsigned i = threadIdx.x; i < kAriaKeyBytes; i += blockDim.x) shared[i] = keys[i];
  return shared;
}

// kChain: CBC decryption with an IV of zeros; `in` is not `out`.
template <class Place, unsigned kRounds, bool kChain>
__global__ void __launch_bounds__(kMostThreads)
    one_thread(const std::uint8_t* keys, const uint4* in, uint4* out) {
  Place::load();
  const SharedKeys<Place, kRounds> shared = {load_keys(keys)};
  __syncthreads();
  const std::size_t n = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint4 text = in[n];
  const std::uint32_t words[4] = {text.x, text.y, text.z, text.w};
  Byte<Place> x[16];
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) x[i].v = byte_of(words[i / 4], i % 4);
  AriaRounds::encrypt(x, shared);
  uint4 result = {join(x), join(x + 4), join(x + 8), join(x + 12)};
  if (kChain && n != 0) {
    const uint4 before = in[n - 1];
    result = {result.x ^ before.x, result.y ^ before.y, result.z ^ before.z, result.w ^ before.w};
  }
  out[n] = result;
}

// Word kWord of what A makes of the block in shared memory.
template <class Place, unsigned kWord>
__device__ __forceinline__ void diffuse_word(const std::uint8_t* text, std::uint32_t (&mine)[4]) {
  Byte<Place> x[16];
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) x[i].v = text[i];
  AriaRounds::diffuse(x);
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) mine[i] = x[4 * kWord + i].v;
}

// Substitution layer `layer` of this thread's word, with the round key before.
template <class Place>
__device__ __forceinline__ void substitute_word(const std::uint8_t* key, unsigned layer,
                                                std::uint32_t (&mine)[4]) {
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) mine[i] = Place::look((i + 2 * layer) % 4, mine[i] ^ key[i]);
}

template <class Place, unsigned kRounds>
__global__ void __launch_bounds__(kMostThreads)
    four_threads(const std::uint8_t* keys, const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint8_t texts[4 * kMostThreads];
  Place::load();
  const unsigned word = threadIdx.x % 4;
  const std::uint8_t* const key = load_keys(keys) + 4 * word;
  std::uint8_t* const text = texts + threadIdx.x / 4 * 16;
  __syncthreads();
  const std::size_t n = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint32_t given = in[n];
  std::uint32_t mine[4];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) mine[i] = byte_of(given, i);
#pragma unroll
  for (unsigned r = 0; r + 1 < kRounds; ++r) {
    substitute_word<Place>(key + 16 * r, r % 2, mine);
    for (unsigned i = 0; i < 4; ++i) text[4 * word + i] = static_cast<std::uint8_t>(mine[i]);
    __syncthreads();
    switch (word) {
      case 0:
        diffuse_word<Place, 0>(text, mine);
        break;
      case 1:
        diffuse_word<Place, 1>(text, mine);
        break;
      case 2:
        diffuse_word<Place, 2>(text, mine);
        break;
      default:
        diffuse_word<Place, 3>(text, mine);
    }
    __syncthreads();
  }
  substitute_word<Place>(key + 16 * (kRounds - 1), 1, mine);
  std::uint32_t result = 0;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) result |= (mine[i] ^ key[16 * kRounds + i]) << (8 * i);
  out[n] = result;
}

// The round keys of RFC 5794 2.2 with which encryption decrypts.
inline void turn_keys(const std::uint8_t* keys, unsigned rounds, std::uint8_t* out) {
  for (unsigned r = 0; r <= rounds; ++r) {
    PlainWord<std::uint8_t> key[16];
    for (unsigned i = 0; i < 16; ++i) key[i] = {keys[16 * (rounds - r) + i]};
    if (r != 0 && r != rounds) AriaRounds::diffuse(key);
    for (unsigned i = 0; i < 16; ++i) out[16 * r + i] = key[i].v;
  }
}

}  // namespace gpuctr::papers

#endif
