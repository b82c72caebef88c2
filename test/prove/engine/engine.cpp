// The SIMD engine proved on vectors of tokens: for any cipher, any data and each length up to four
// batches, byte j of counter mode is byte j of the input XOR byte j % b of the encrypted counter
// block j / b; and so for ECB and XEX. Layouts, transpositions, counters and tails are
// the engine's own code.
#include <algorithm>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>

#include "kernels/base/counter.h"
#include "kernels/cpu/simd/few_blocks.h"
#include "kernels/cpu/simd/long_blocks.h"

namespace gpuctr {
struct RoundKeys {
  std::uint64_t words[64];
};
namespace {

using traced::Token;
using traced::Way;

// A cipher of which nothing is known.
template <class T, unsigned Count, bool IsBigEndian>
struct Unknown {
  using Word = T;
  static constexpr unsigned kWords = Count;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 1, kRoundKeyWords = 4;
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.generator = false;
    f.big_endian = IsBigEndian;
  });

  // Where byte b of a word is in the block.
  static constexpr unsigned place(unsigned word, unsigned b) {
    return word * sizeof(T) + (IsBigEndian ? sizeof(T) - 1 - b : b);
  }
  template <class V>
  static void permute(Way way, V (&x)[Count]) {
    constexpr unsigned kSize = sizeof(T);
    for (unsigned g = 0; g < sizeof x[0].v / sizeof x[0].v[0]; ++g) {
      std::vector<Token> words[Count];
      for (unsigned j = 0; j < Count; ++j) words[j] = x[j].v[g].tokens();
      for (unsigned i = 0; i < x[0].v[g].kCount; ++i) {
        std::vector<Token> block(Count * kSize);
        const auto each_byte = [&](auto f) {
          for (unsigned k = 0; k < Count * kSize; ++k) {
            f(block[place(k / kSize, k % kSize)], words[k / kSize][i * kSize + k % kSize]);
          }
        };
        each_byte([](Token& of_block, Token of_word) { of_block = of_word; });
        block = traced::permuted(way, block);
        each_byte([](Token of_block, Token& of_word) { of_word = of_block; });
      }
      for (unsigned j = 0; j < Count; ++j) x[j].v[g] = std::decay_t<decltype(x[j].v[g])>(words[j]);
    }
  }
  // One block in integer registers is not traced.
  static void permute(Way, PlainWord<T> (&)[Count]) { traced::refuse("a block in integers"); }
  template <class V, class K>
  static void encrypt(V (&x)[Count], const K&) {
    permute(Way::kEncrypts, x);
  }
  template <class V, class K>
  static void decrypt(V (&x)[Count], const K&) {
    permute(Way::kDecrypts, x);
  }
};

template <unsigned Bytes, unsigned Registers>
struct Model : simd::Portable<Bytes> {
  static constexpr unsigned kRegisters = Registers;
  template <unsigned>
  static void wipe_below() {}
  static void wipe_registers() {}
};

template <unsigned Bytes, unsigned Registers, class C>
class Engine {
 public:
  using M = Model<Bytes, Registers>;
  using Few = simd::FewBlocks<M, Model<16, Registers>, C>;
  using Many = typename Few::Many;
  static constexpr std::size_t kBlock = BlockBytes<C>::kValue;
  static constexpr std::size_t kBatch = simd::Batch<M, C, simd::kGroupsOf<M, C>>::kBytes;
  static constexpr std::size_t kLeast = Few::kIntegers ? kBlock + 1 : 0;

  // Says what holds, or the first difference.
  static int differences() {
    std::printf("the SIMD engine, vectors of %u bytes, blocks of %u words of %zu bits: ", Bytes,
                C::kWords, 8 * sizeof(typename C::Word));
    std::fflush(stdout);
    try {
      counter_mode_of_every_length();
      counters_that_carry();
      blocks_of_every_number();
      batches_of_xex();
    } catch (const std::exception& difference) {
      std::printf("different\n  %s\n", difference.what());
      return 1;
    }
    std::printf("equal\n");
    return 0;
  }

 private:
  static void counter_mode_of_every_length() {
    std::mt19937 random(36);
    for (std::size_t n = kLeast; n <= 4 * kBatch; ++n) {
      std::vector<std::uint8_t> counter(kBlock);
      for (auto& byte : counter) byte = static_cast<std::uint8_t>(random());
      // The last bytes are all ones but for a few blocks: carries at each place of the batches.
      std::fill(counter.end() - 1 - static_cast<long>(n % kBlock), counter.end(), 0xff);
      counter.back() = static_cast<std::uint8_t>(0xff - n / kBlock % 251);
      for (const std::size_t form : {0, 1, 2}) counter_mode(counter, n, form);
    }
  }
  static void counters_that_carry() {
    for (std::size_t ones = 0; ones <= kBlock; ++ones) {
      for (std::size_t back = 0; back < 4 * kBatch / kBlock && back < 256; ++back) {
        // Also zeros, which a wrong comparison takes for a carry.
        std::vector<std::uint8_t> counter(kBlock, back % 2 == 0 ? 0x3c : 0);
        std::fill(counter.end() - static_cast<long>(ones), counter.end(), 0xff);
        counter.back() = static_cast<std::uint8_t>(ones == 0 ? back / 2 : counter.back() - back);
        counter_mode(counter, kBatch + 3, 2);
      }
    }
  }
  static void blocks_of_every_number() {
    for (std::size_t blocks = Few::kIntegers ? 2 : 0; blocks <= 4 * kBatch / kBlock; ++blocks) {
      for (const bool in_place : {false, true}) {
        ecb(Way::kEncrypts, Few::encrypt, blocks, in_place);
        ecb(Way::kDecrypts, Few::decrypt, blocks, in_place);
      }
    }
  }
  static void batches_of_xex() {
    for (std::size_t batches = 1; batches <= 4; ++batches) {
      for (const bool in_place : {false, true}) {
        for (const bool encrypts : {false, true}) {
          if constexpr (kBlock <= 16) xex(batches, encrypts, false, in_place);
          if constexpr (kBlock == 16) xex(batches, encrypts, true, in_place);
        }
      }
    }
  }

  struct Buffers {
    Buffers(std::size_t n, bool in_place) : in(n + 1), out(n + 1), n(n) {
      traced::forget();
      for (std::size_t i = 0; i < n; ++i) traced::write(&in[i], traced::input(i));
      to = in_place ? in.data() : out.data();
      after = traced::read(to + n);
    }
    // Byte j should be `expected`.
    void expect(std::size_t j, Token expected, const char* what) const {
      const Token made = traced::read(to + j);
      if (made == expected) return;
      throw std::runtime_error(std::string(what) + " of " + std::to_string(n) + " bytes: byte " +
                               std::to_string(j) + " is " + traced::text(made) + ", should be " +
                               traced::text(expected));
    }
    void expect_nothing_after(const char* what) const { expect(n, after, what); }

    std::vector<std::uint8_t> in, out;
    std::size_t n;
    std::uint8_t* to;
    Token after;
  };

  // form: into another buffer, in place, without input.
  static void counter_mode(std::vector<std::uint8_t> counter, std::size_t n, std::size_t form) {
    Buffers buffers(n, form == 1);
    for (auto& byte : counter) traced::write(&byte, byte);
    const bool has_input = form != 2;
    Few::ctr({}, counter.data(), has_input ? buffers.in.data() : nullptr, buffers.to, n);
    for (std::size_t j = 0; j < n; j += kBlock) {
      const std::vector<Token> block =
          traced::permuted(Way::kEncrypts, {counter.begin(), counter.end()});
      for (std::size_t i = j; i < n && i < j + kBlock; ++i) {
        const Token in = has_input ? traced::input(i) : 0;
        buffers.expect(i, traced::sum(in, block[i - j]), "counter mode");
      }
      counter_add(counter.data(), kBlock, 1);
    }
    buffers.expect_nothing_after("counter mode");
  }

  static std::vector<Token> block_at(std::size_t at) {
    std::vector<Token> block;
    for (std::size_t i = at; i < at + kBlock; ++i) block.push_back(traced::input(i));
    return block;
  }
  template <class F>
  static void ecb(Way way, F* function, std::size_t blocks, bool in_place) {
    Buffers buffers(blocks * kBlock, in_place);
    function({}, buffers.in.data(), buffers.to, blocks);
    for (std::size_t at = 0; at < buffers.n; ++at) {
      const std::vector<Token> block = traced::permuted(way, block_at(at / kBlock * kBlock));
      buffers.expect(at, block[at % kBlock], way == Way::kEncrypts ? "encryption" : "decryption");
    }
    buffers.expect_nothing_after("ECB");
  }
  // CBC and CFB decryption, and XEX with masks, of whole batches.
  static void xex(std::size_t batches, bool encrypts, bool masked, bool in_place) {
    const std::size_t n =
        batches * (encrypts ? Many::template kXexBatch<true> : Many::template kXexBatch<false>);
    Buffers buffers(n, in_place);
    std::vector<std::uint8_t> masks(n), head(64);
    const auto mask = [n](std::size_t i) { return traced::input(2 * n + i); };
    const auto back = [n](std::size_t i) {
      return i < kBlock ? traced::input(n + i) : traced::input(i - kBlock);
    };
    for (std::size_t i = 0; i < n; ++i) traced::write(&masks[i], mask(i));
    for (std::size_t i = 0; i < head.size(); ++i) traced::write(&head[i], back(i));
    Many::xex({}, encrypts, masked ? masks.data() : nullptr, head.data(), buffers.in.data(),
              buffers.to, n);
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<Token> block;
      for (std::size_t i = at / kBlock * kBlock; block.size() < kBlock; ++i) {
        block.push_back(masked     ? traced::sum(traced::input(i), mask(i))
                        : encrypts ? back(i)
                                   : traced::input(i));
      }
      const Token made =
          traced::permuted(encrypts ? Way::kEncrypts : Way::kDecrypts, block)[at % kBlock];
      const Token with = masked ? mask(at) : encrypts ? traced::input(at) : back(at);
      buffers.expect(at, traced::sum(made, with), masked ? "XEX" : encrypts ? "CFB" : "CBC");
    }
    buffers.expect_nothing_after("XEX");
  }
};

template <class T, unsigned Count>
using Little = Unknown<T, Count, false>;
template <class T, unsigned Count>
using Big = Unknown<T, Count, true>;
using Byte = std::uint8_t;
template <class... E>
struct Engines {
  static int differences() { return (0 + ... + E::differences()); }
};
// Vectors of each width, words of each size, blocks of 8 to 128 bytes.
using Quick =
    Engines<Engine<16, 16, Little<Byte, 8>>, Engine<32, 16, Little<std::uint32_t, 16>>,
            Engine<32, 16, Big<std::uint16_t, 4>>, Engine<32, 16, Little<std::uint32_t, 4>>,
            Engine<64, 16, Big<std::uint64_t, 2>>>;
using Others =
    Engines<Engine<16, 16, Little<Byte, 32>>, Engine<16, 16, Little<std::uint16_t, 4>>,
            Engine<16, 16, Little<std::uint32_t, 4>>, Engine<32, 16, Little<Byte, 16>>,
            Engine<32, 16, Big<std::uint16_t, 8>>, Engine<32, 16, Big<std::uint32_t, 2>>,
            Engine<32, 16, Little<std::uint64_t, 4>>, Engine<32, 16, Little<std::uint64_t, 16>>,
            Engine<64, 16, Little<Byte, 8>>, Engine<64, 16, Little<Byte, 16>>,
            Engine<64, 16, Little<std::uint16_t, 4>>, Engine<64, 32, Little<std::uint32_t, 4>>,
            Engine<64, 16, Big<std::uint32_t, 4>>, Engine<64, 16, Little<std::uint64_t, 8>>>;

}  // namespace
}  // namespace gpuctr

int main() {
  int differences = gpuctr::Quick::differences();
#ifndef QUICK
  differences += gpuctr::Others::differences();
#endif
  return differences != 0 ? 1 : 0;
}
