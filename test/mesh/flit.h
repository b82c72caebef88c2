// Flits and heads of packets as the mesh's ports carry them (kernels/mesh/README.md, "Packets").
#ifndef GPUCTR_TEST_MESH_FLIT_H
#define GPUCTR_TEST_MESH_FLIT_H

#include <cstddef>
#include <cstdint>

namespace mesh {

constexpr unsigned kFlitBits = 66;
constexpr unsigned kPacketWords = 16;

struct Flit {
  bool head = false;
  bool tail = false;
  std::uint64_t data = 0;
  bool operator==(const Flit& o) const {
    return head == o.head && tail == o.tail && data == o.data;
  }
};

enum Kind : unsigned { kJob = 1, kData = 2, kResult = 3 };

struct Head {
  unsigned to_x = 0, to_y = 0, host_y = 0;
  Kind kind = kJob;
  bool with_data = false;
  unsigned last_bytes = 0, count = 0, first = 0;

  std::uint64_t word() const {
    return std::uint64_t{to_x} << 56 | std::uint64_t{to_y} << 52 | std::uint64_t{host_y} << 48 |
           std::uint64_t{kind} << 46 | std::uint64_t{with_data} << 45 |
           std::uint64_t{last_bytes} << 40 | std::uint64_t{count} << 20 | first;
  }
  static Head of(std::uint64_t word) {
    const auto bits = [word](unsigned at, unsigned n) {
      return static_cast<unsigned>(word >> at & ((1u << n) - 1));
    };
    return {bits(56, 4),      bits(52, 4), bits(48, 4),  static_cast<Kind>(bits(46, 2)),
            bits(45, 1) != 0, bits(40, 5), bits(20, 20), bits(0, 20)};
  }
};

// Flit `port` of a vector of flits, in Verilator's 32-bit words.
template <class Wide>
Flit get_flit(const Wide& wide, unsigned port) {
  const auto word = [&](unsigned bit) {
    const unsigned at = bit / 32, by = bit % 32;
    const std::uint64_t low = wide[at] >> by;
    return by == 0 ? low : (low | std::uint64_t{wide[at + 1]} << (32 - by)) & 0xffffffffu;
  };
  const auto bit = [&](unsigned at) { return (wide[at / 32] >> (at % 32) & 1) != 0; };
  const unsigned base = port * kFlitBits;
  return {bit(base + 65), bit(base + 64), word(base) | word(base + 32) << 32};
}

template <class Wide>
void put_flit(Wide& wide, unsigned port, const Flit& flit) {
  const auto put = [&](unsigned bit, unsigned n, std::uint64_t value) {
    while (n != 0) {
      const unsigned by = bit % 32, take = n < 32 - by ? n : 32 - by;
      const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << take) - 1) << by;
      wide[bit / 32] = (wide[bit / 32] & ~mask) | (static_cast<std::uint32_t>(value << by) & mask);
      value >>= take;
      bit += take;
      n -= take;
    }
  };
  put(port * kFlitBits, 64, flit.data);
  put(port * kFlitBits + 64, 2, std::uint64_t{flit.head} << 1 | std::uint64_t{flit.tail});
}

// A stream of numbers that is the same everywhere (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned n) { return static_cast<unsigned>((next() >> 32) * n >> 32); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace mesh

#endif
