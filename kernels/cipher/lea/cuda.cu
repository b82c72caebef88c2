// LEA on CUDA, word-wise: a round is six XORs and three rotations on the ALU pipe and three
// additions on the FMA pipe. Two of a lane's four blocks do the rotation by 29 on the FP64 pipe
// instead of the ALU pipe.
#include "kernels/cipher/lea/form.cuh"
#include "kernels/gpu/cuda/kernel/ghash/gcm.cuh"
#include "kernels/gpu/cuda/kernel/many/launch.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/numbers.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/wordwise.cuh"

namespace gpuctr {
inline namespace lea_cuda {
using Word = MixedWord<1u << 29, 2>;
template <unsigned kKeyBits>
using BatchForm = Word32Form<Lea<kKeyBits>, Word>;

template <unsigned kKeyBits>
using Form = LeaForm<kKeyBits, Word, 4>;
template <unsigned kKeyBits>
using Blocks = Word32Form<Lea<kKeyBits>, MixedWord<1u << 29, 1>, 2>;

// Lanes of many short messages make the round keys while they encrypt.
template <unsigned kKeyBits>
struct Lanes : many::WordLanes<BatchForm<kKeyBits>> {
  using Cipher = Lea<kKeyBits>;
  static constexpr bool kMakesKeys = true;
  static constexpr unsigned kChunks = BatchForm<kKeyBits>::kChunks;
  static constexpr unsigned kEach = Cipher::kKeysPerRound;
  using V = Group<Word, kChunks>;

  struct Key {
    const std::uint32_t* words;
    __device__ __forceinline__ PlainWord<std::uint32_t> operator()(unsigned i) const {
      return {words[i]};
    }
  };
  struct OfRound {
    const std::uint32_t* words;
    __device__ __forceinline__ V operator()(unsigned i) const { return V::all(Word::of(words[i])); }
  };
  // Takes the round keys in their order, and makes a round as soon as its keys are there.
  struct Rounds {
    V (*x)[4];
    std::uint32_t* keys;  // of one round
    __device__ __forceinline__ static PlainWord<std::uint32_t> same(std::uint32_t c) { return {c}; }
    __device__ __forceinline__ void operator()(unsigned at, PlainWord<std::uint32_t> word) const {
      keys[at % kEach] = word.v;
      if (at % kEach != kEach - 1) return;
      switch (at / kEach % 4) {
        case 0:
          return Cipher::template round<0>(*x, OfRound{keys}, 0);
        case 1:
          return Cipher::template round<1>(*x, OfRound{keys}, 0);
        case 2:
          return Cipher::template round<2>(*x, OfRound{keys}, 0);
        default:
          return Cipher::template round<3>(*x, OfRound{keys}, 0);
      }
    }
  };
  __device__ __forceinline__ static void encrypt_by_key(const std::uint32_t (&key)[8],
                                                        uint4 (&chunk)[kChunks]) {
    V x[4];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      x[0].v[q] = Word::of(chunk[q].x), x[1].v[q] = Word::of(chunk[q].y);
      x[2].v[q] = Word::of(chunk[q].z), x[3].v[q] = Word::of(chunk[q].w);
    }
    std::uint32_t keys[kEach];
    Cipher::expand_words(Key{key}, Rounds{&x, keys});
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q)
      chunk[q] = {x[0].v[q].v, x[1].v[q].v, x[2].v[q].v, x[3].v[q].v};
  }
};

template <unsigned kKeyBits>
constexpr CudaOps kOps = with_many(
    with_numbers(with_gcm(wordwise::kOps<Form<kKeyBits>, BatchForm<kKeyBits>, Blocks<kKeyBits>>,
                          cuda::gcm<Form<kKeyBits>>),
                 wordwise::numbers<Form<kKeyBits>>),
    &many::kWordMany<BatchForm<kKeyBits>, Lanes<kKeyBits>>);
}  // namespace lea_cuda

template <>
const CudaOps& cuda_ops_of<Lea<128>>() {
  return kOps<128>;
}
template <>
const CudaOps& cuda_ops_of<Lea<192>>() {
  return kOps<192>;
}
template <>
const CudaOps& cuda_ops_of<Lea<256>>() {
  return kOps<256>;
}

}  // namespace gpuctr
