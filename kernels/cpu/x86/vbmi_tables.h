// Ciphers with look-up tables (cipher/interleaved.h) on AVX-512 with VBMI, in constant time,
// including the key schedule: 64 blocks at once look up in registers. VPERMI2B looks up 64 bytes in
// 128. So a table of 256 words is four tables of bytes. Each takes two VPERMI2B and a selection by
// the index's top bit. Bound on a Zen 4, with one VPERMI2B a cycle: 2.25 cycles a byte; measured
// 2.7. One block takes as long as 64.
#ifndef GPUCTR_KERNELS_CPU_X86_VBMI_TABLES_H
#define GPUCTR_KERNELS_CPU_X86_VBMI_TABLES_H

#include <immintrin.h>

#include "kernels/cipher/word.h"
#include "kernels/cpu/base/cipher_ops.h"
#include "kernels/cpu/simd/vec.h"

namespace gpuctr {
namespace {

// The mask of all lanes: without a mask some intrinsics of GCC 12 warn about their own header.
constexpr __mmask16 kAll = 0xffff;

// A table of words as tables of bytes: byte p of entry i is byte[p][i].
struct alignas(64) ByteTables {
  std::uint8_t byte[4][256];
};

// One word of 64 blocks. Dword 4 l + j of vector q belongs to block 16 q + 2 l + j, or, if j is 2
// or 3, to that block + 6. This is the order in which VSHUFPS takes the words of blocks from
// memory.
struct VbmiWord {
  static constexpr unsigned kVectors = 4;
  __m512i v[kVectors];

  template <class Combine>
  GPUCTR_INLINE static VbmiWord each(Combine combine) {
    VbmiWord made;
    GPUCTR_UNROLL
    for (unsigned q = 0; q < kVectors; ++q) made.v[q] = combine(q);
    return made;
  }
  GPUCTR_INLINE friend VbmiWord operator+(const VbmiWord& a, const VbmiWord& b) {
    return each([&](unsigned q) { return _mm512_add_epi32(a.v[q], b.v[q]); });
  }
  GPUCTR_INLINE friend VbmiWord operator-(const VbmiWord& a, const VbmiWord& b) {
    return each([&](unsigned q) { return _mm512_sub_epi32(a.v[q], b.v[q]); });
  }
  GPUCTR_INLINE friend VbmiWord operator^(const VbmiWord& a, const VbmiWord& b) {
    return each([&](unsigned q) { return _mm512_xor_si512(a.v[q], b.v[q]); });
  }
  GPUCTR_INLINE VbmiWord early() const { return *this; }
  GPUCTR_INLINE VbmiWord turned(unsigned bits) const {
    const __m512i by = _mm512_set1_epi32(static_cast<int>(bits));
    return each([&](unsigned q) { return _mm512_maskz_rolv_epi32(kAll, v[q], by); });
  }

  // Byte p of the 64 words. The order is such that unpacking lower and upper halves, first bytes
  // and then pairs, makes words again.
  struct Bytes {
    __m512i byte[4];

    template <unsigned Byte>
    GPUCTR_INLINE VbmiWord entry(const ByteTables* table) const {
      const __m512i at = byte[Byte];
      const __mmask64 upper = _mm512_movepi8_mask(at);
      __m512i found[4];
      GPUCTR_UNROLL
      for (unsigned p = 0; p < 4; ++p) {
        const std::uint8_t* const bytes = table->byte[p];
        const __m512i low =
            _mm512_permutex2var_epi8(_mm512_load_si512(bytes), at, _mm512_load_si512(bytes + 64));
        const __m512i high = _mm512_permutex2var_epi8(_mm512_load_si512(bytes + 128), at,
                                                      _mm512_load_si512(bytes + 192));
        found[p] = _mm512_mask_blend_epi8(upper, low, high);
      }
      const __m512i a = _mm512_unpacklo_epi8(found[0], found[1]);
      const __m512i b = _mm512_unpackhi_epi8(found[0], found[1]);
      const __m512i c = _mm512_unpacklo_epi8(found[2], found[3]);
      const __m512i d = _mm512_unpackhi_epi8(found[2], found[3]);
      return {{_mm512_unpacklo_epi16(a, c), _mm512_unpackhi_epi16(a, c),
               _mm512_unpacklo_epi16(b, d), _mm512_unpackhi_epi16(b, d)}};
    }
  };
  GPUCTR_INLINE Bytes bytes() const {
    const __m512i low01 = _mm512_permutex2var_epi8(v[0], half(0), v[1]);
    const __m512i high01 = _mm512_permutex2var_epi8(v[0], half(2), v[1]);
    const __m512i low23 = _mm512_permutex2var_epi8(v[2], half(0), v[3]);
    const __m512i high23 = _mm512_permutex2var_epi8(v[2], half(2), v[3]);
    return {{_mm512_maskz_unpacklo_epi64(0xff, low01, low23),
             _mm512_maskz_unpackhi_epi64(0xff, low01, low23),
             _mm512_maskz_unpacklo_epi64(0xff, high01, high23),
             _mm512_maskz_unpackhi_epi64(0xff, high01, high23)}};
  }

 private:
  // For each lane of 16 bytes: byte First of four words of one vector and of four words of the
  // other, then byte First + 1 of them.
  GPUCTR_INLINE static __m512i half(unsigned first) {
    const auto four = [](unsigned byte, unsigned vector) {
      return static_cast<int>(0x0c080400 + 0x01010101 * (byte + 64 * vector));
    };
    const __m128i lane =
        _mm_setr_epi32(four(first, 0), four(first, 1), four(first + 1, 0), four(first + 1, 1));
    const __m512i lanes = _mm512_setr_epi32(
        0, 0, 0, 0, 0x10101010, 0x10101010, 0x10101010, 0x10101010, 0x20202020, 0x20202020,
        0x20202020, 0x20202020, 0x30303030, 0x30303030, 0x30303030, 0x30303030);
    return _mm512_add_epi8(_mm512_maskz_broadcast_i32x4(kAll, lane), lanes);
  }
};

struct VbmiKeys {
  const std::uint32_t* words;
  const ByteTables* tables;

  GPUCTR_INLINE VbmiWord operator()(unsigned i) const {
    const __m512i word = _mm512_set1_epi32(static_cast<int>(words[i]));
    return VbmiWord::each([&](unsigned) { return word; });
  }
  GPUCTR_INLINE std::uint32_t stored(unsigned i) const { return words[i]; }
  template <class C>
  GPUCTR_INLINE const ByteTables* table(unsigned i) const {
    return tables + i;
  }
};

// M: the backend, for wipe_below() and wipe_registers().
template <class M, class C>
struct VbmiOperations {
  static constexpr std::size_t kBlocks = 64;
  static constexpr std::size_t kBytes = 8 * kBlocks;
  // Selects from 128 bytes, 32 words in a row: byte First of each word, then byte First + 1 of
  // each.
  template <unsigned First>
  struct Pick {
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      return static_cast<std::uint8_t>(4 * (i % 32) + First + i / 32);
    }
  };
  GPUCTR_INLINE static void split_tables(const std::uint32_t* words, ByteTables* tables) {
    const __m512i pick01 = simd::as<__m512i>(simd::table<std::uint8_t, 64, Pick<0>>());
    const __m512i pick23 = simd::as<__m512i>(simd::table<std::uint8_t, 64, Pick<2>>());
    for (unsigned t = 0; t < 4; ++t) {
      const std::uint32_t* const table = C::table(words, t);
      for (unsigned i = 0; i < 256; i += 64) {
        const __m512i a = _mm512_loadu_si512(table + i), b = _mm512_loadu_si512(table + i + 16);
        const __m512i c = _mm512_loadu_si512(table + i + 32);
        const __m512i d = _mm512_loadu_si512(table + i + 48);
        put(tables[t], 0, i, _mm512_permutex2var_epi8(a, pick01, b),
            _mm512_permutex2var_epi8(c, pick01, d));
        put(tables[t], 2, i, _mm512_permutex2var_epi8(a, pick23, b),
            _mm512_permutex2var_epi8(c, pick23, d));
      }
    }
  }
  GPUCTR_INLINE static void put(ByteTables& tables, unsigned first, unsigned i, __m512i low,
                                __m512i high) {
    _mm512_store_si512(tables.byte[first] + i, _mm512_maskz_shuffle_i64x2(0xff, low, high, 0x44));
    _mm512_store_si512(tables.byte[first + 1] + i,
                       _mm512_maskz_shuffle_i64x2(0xff, low, high, 0xee));
  }

  GPUCTR_INLINE static __m512i turned_bytes(__m512i words) {
    return _mm512_shuffle_epi8(
        words, _mm512_maskz_broadcast_i32x4(
                   kAll, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)));
  }
  GPUCTR_INLINE static __m512i shuffle_words(__m512i a, __m512i b, unsigned odd) {
    const __m512 x = _mm512_castsi512_ps(a), y = _mm512_castsi512_ps(b);
    return _mm512_castps_si512(odd != 0 ? _mm512_shuffle_ps(x, y, 0xdd)
                                        : _mm512_shuffle_ps(x, y, 0x88));
  }
  GPUCTR_INLINE static void load(VbmiWord (&x)[2], const std::uint8_t* in) {
    GPUCTR_UNROLL
    for (unsigned q = 0; q < 4; ++q) {
      const __m512i a = turned_bytes(_mm512_loadu_si512(in + 128 * q));
      const __m512i b = turned_bytes(_mm512_loadu_si512(in + 128 * q + 64));
      x[0].v[q] = shuffle_words(a, b, 0);
      x[1].v[q] = shuffle_words(a, b, 1);
    }
  }
  GPUCTR_INLINE static void count(VbmiWord (&x)[2], std::uint64_t counter) {
    const __m512i low = _mm512_set1_epi32(static_cast<int>(counter));
    const __m512i high = _mm512_set1_epi32(static_cast<int>(counter >> 32));
    const __m512i number = _mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    GPUCTR_UNROLL
    for (unsigned q = 0; q < 4; ++q) {
      const __m512i sum = _mm512_add_epi32(
          low, _mm512_add_epi32(number, _mm512_set1_epi32(static_cast<int>(16 * q))));
      const __mmask16 carry = _mm512_cmplt_epu32_mask(sum, low);
      x[0].v[q] = _mm512_mask_add_epi32(high, carry, high, _mm512_set1_epi32(1));
      x[1].v[q] = sum;
    }
  }
  GPUCTR_INLINE static void store(const VbmiWord (&x)[2], const std::uint8_t* in,
                                  std::uint8_t* out) {
    GPUCTR_UNROLL
    for (unsigned q = 0; q < 4; ++q) {
      __m512i a = turned_bytes(_mm512_maskz_unpacklo_epi32(kAll, x[0].v[q], x[1].v[q]));
      __m512i b = turned_bytes(_mm512_maskz_unpackhi_epi32(kAll, x[0].v[q], x[1].v[q]));
      if (in != nullptr) {
        a = _mm512_xor_si512(a, _mm512_loadu_si512(in + 128 * q));
        b = _mm512_xor_si512(b, _mm512_loadu_si512(in + 128 * q + 64));
      }
      _mm512_storeu_si512(out + 128 * q, a);
      _mm512_storeu_si512(out + 128 * q + 64, b);
    }
  }

  // The end of a message goes through a buffer, which is wiped with the stack.
  __attribute__((noinline)) static void ctr_here(const std::uint32_t* words, std::uint64_t counter,
                                                 const std::uint8_t* in, std::uint8_t* out,
                                                 std::size_t n) {
    ByteTables tables[4];
    split_tables(words, tables);
    const VbmiKeys keys{words, tables};
    alignas(64) std::uint8_t end[kBytes];
    while (n != 0) {
      VbmiWord x[2];
      count(x, counter);
      C::encrypt(x, keys);
      if (n < kBytes) {
        store(x, nullptr, end);
        for (std::size_t i = 0; i < n; ++i) {
          out[i] = static_cast<std::uint8_t>(end[i] ^ (in != nullptr ? in[i] : 0));
        }
        return;
      }
      store(x, in, out);
      counter += kBlocks;
      if (in != nullptr) in += kBytes;
      out += kBytes;
      n -= kBytes;
    }
  }
  template <bool Encrypt>
  __attribute__((noinline)) static void blocks_here(const std::uint32_t* words,
                                                    const std::uint8_t* in, std::uint8_t* out,
                                                    std::size_t n) {
    ByteTables tables[4];
    split_tables(words, tables);
    const VbmiKeys keys{words, tables};
    alignas(64) std::uint8_t end[kBytes];
    while (n != 0) {
      const bool is_whole = n >= kBytes;
      if (!is_whole) {
        for (std::size_t i = 0; i < kBytes; ++i) end[i] = i < n ? in[i] : 0;
      }
      VbmiWord x[2];
      load(x, is_whole ? in : end);
      if constexpr (Encrypt) {
        C::encrypt(x, keys);
      } else {
        C::decrypt(x, keys);
      }
      store(x, nullptr, is_whole ? out : end);
      if (!is_whole) {
        for (std::size_t i = 0; i < n; ++i) out[i] = end[i];
        return;
      }
      in += kBytes;
      out += kBytes;
      n -= kBytes;
    }
  }

  // One batch for each block; the block is the first of its batch.
  __attribute__((noinline)) static void chain_here(const std::uint32_t* words, std::uint8_t* chain,
                                                   const std::uint8_t* in, std::uint8_t* out,
                                                   std::size_t blocks) {
    ByteTables tables[4];
    split_tables(words, tables);
    const VbmiKeys keys{words, tables};
    std::uint64_t block = simd::load<std::uint64_t>(chain);
    for (; blocks != 0; --blocks, in += 8, out += 8) {
      block = encrypt_one(block ^ simd::load<std::uint64_t>(in), keys);
      simd::store(out, block);
    }
    simd::store(chain, block);
  }
  // A block in memory order. Not inlined: otherwise GCC 12 spills 4 KB more.
  __attribute__((noinline)) static std::uint64_t encrypt_one(std::uint64_t block,
                                                             const VbmiKeys& keys) {
    const __m512i text = turned_bytes(_mm512_set1_epi64(static_cast<long long>(block)));
    const __m512i left = shuffle_words(text, text, 0), right = shuffle_words(text, text, 1);
    VbmiWord x[2] = {VbmiWord::each([&](unsigned) { return left; }),
                     VbmiWord::each([&](unsigned) { return right; })};
    C::encrypt(x, keys);
    const __m512i made = turned_bytes(_mm512_maskz_unpacklo_epi32(kAll, x[0].v[0], x[1].v[0]));
    return simd::as<simd::Vec<std::uint64_t, 64>>(made)[0];
  }

  // The key schedule with the look-ups above. A cipher's expand_by() reads words of a public table,
  // or encrypts blocks with the tables that it will change next.
  __attribute__((noinline)) static void expand_here(const std::uint8_t* key, std::size_t bytes,
                                                    std::uint32_t* words) {
    ByteTables tables[4];
    C::expand_by(ScheduleWork{words, tables}, key, bytes, words);
  }
  struct ScheduleWork {
    const std::uint32_t* words;
    ByteTables* tables;

    // Entry `index` of a table of 256; reads the whole table.
    __attribute__((noinline)) std::uint32_t find(const std::uint32_t* table, unsigned index) const {
      const __m512i at = _mm512_set1_epi32(static_cast<int>(index));
      __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      __m512i found = _mm512_setzero_si512();
      for (unsigned i = 0; i < 256; i += 16) {
        const __mmask16 here = _mm512_cmpeq_epi32_mask(lanes, at);
        found = _mm512_mask_or_epi32(found, here, found, _mm512_loadu_si512(table + i));
        lanes = _mm512_add_epi32(lanes, _mm512_set1_epi32(16));
      }
      // All lanes except one are 0.
      found = _mm512_or_si512(found, _mm512_maskz_shuffle_i64x2(0xff, found, found, 0x4e));
      found = _mm512_or_si512(found, _mm512_maskz_shuffle_i64x2(0xff, found, found, 0xb1));
      found = _mm512_or_si512(found, _mm512_maskz_unpackhi_epi64(0xff, found, found));
      const std::uint64_t two = simd::as<simd::Vec<std::uint64_t, 64>>(found)[0];
      return static_cast<std::uint32_t>(two | two >> 32);
    }
    // Called when the tables are complete. After this only changed() changes them.
    GPUCTR_INLINE void begin() const { split_tables(words, tables); }
    GPUCTR_INLINE void changed(unsigned table, unsigned entry, std::uint32_t word) const {
      for (unsigned p = 0; p < 4; ++p) {
        tables[table].byte[p][entry] = static_cast<std::uint8_t>(word >> (8 * p));
      }
    }
    // A block; `left` is its high half.
    GPUCTR_INLINE void encrypt(std::uint32_t& left, std::uint32_t& right) const {
      const std::uint64_t block = std::uint64_t{left} << 32 | right;
      const std::uint64_t made =
          turned_bytes_of(encrypt_one(turned_bytes_of(block), VbmiKeys{words, tables}));
      left = static_cast<std::uint32_t>(made >> 32);
      right = static_cast<std::uint32_t>(made);
    }
    GPUCTR_INLINE static std::uint64_t turned_bytes_of(std::uint64_t x) {
      return gpuctr::turned_bytes(x);
    }
  };

  // The frames of the functions above: one frame, or also the frame of encrypt_one() or find()
  // inside it.
  template <unsigned Frames>
  __attribute__((noinline)) static void wipe_stack() {
    M::template wipe_below<Frames * kTablesFrame + 256>();
  }
  template <unsigned Frames>
  GPUCTR_INLINE static void wipe_after() {
    wipe_stack<Frames>();
    M::wipe_registers();
  }

  static void ctr(const RoundKeys& keys, const std::uint8_t* block, const std::uint8_t* in,
                  std::uint8_t* out, std::size_t n) {
    ctr_here(words_of<std::uint32_t>(keys), load_be<std::uint64_t>(block), in, out, n);
    wipe_after<1>();
  }
  static void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    blocks_here<true>(words_of<std::uint32_t>(keys), in, out, 8 * blocks);
    wipe_after<1>();
  }
  static void decrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
    blocks_here<false>(words_of<std::uint32_t>(keys), in, out, 8 * blocks);
    wipe_after<1>();
  }
  static void cbc_encrypt(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t blocks) {
    chain_here(words_of<std::uint32_t>(keys), chain, in, out, blocks);
    wipe_after<2>();
  }
  static void expand(const std::uint8_t* key, std::size_t bytes, RoundKeys* out) {
    expand_here(key, bytes, words_of<std::uint32_t>(out));
    wipe_after<2>();
  }
};

template <class M, class C>
constexpr CipherOps vbmi_table_ops() {
  CipherOps ops = {};
  ops.ctr = VbmiOperations<M, C>::ctr;
  ops.encrypt = VbmiOperations<M, C>::encrypt;
  ops.decrypt = VbmiOperations<M, C>::decrypt;
  ops.cbc_encrypt = VbmiOperations<M, C>::cbc_encrypt;
  ops.expand = VbmiOperations<M, C>::expand;
  ops.constant_time = true;
  return ops;
}

}  // namespace
}  // namespace gpuctr

#endif
