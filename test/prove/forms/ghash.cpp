// One form of GHASH at the points that determine it: see ghash.py, which shows the kinds of
// products that each function is a sum of. Such a function of kind (P, X) is determined by its
// values for P and X of at most one bit, and one of kind (P, P) by those for P of at most two bits.
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "kernels/cpu/base/ghash_ops.h"

namespace gpuctr::prove {

extern const GhashOps kForm;

namespace {

struct Block {
  std::uint8_t b[16];
};
bool operator==(const Block& x, const Block& y) { return std::memcmp(x.b, y.b, 16) == 0; }
Block operator^(Block x, const Block& y) {
  for (unsigned i = 0; i < 16; ++i) x.b[i] = static_cast<std::uint8_t>(x.b[i] ^ y.b[i]);
  return x;
}
constexpr Block kZero = {};
constexpr unsigned kBits = 128;

// The definition: bit i of a block, numbered from the left, is the coefficient of x^i, and the
// field is that modulo 1 + x + x^2 + x^7 + x^128 (SP 800-38D 6.3).
Block g_x[4 * kBits];  // powers of x

void make_powers_of_x() {
  Block v = {{0x80}};
  for (Block& power : g_x) {
    power = v;
    const bool over = (v.b[15] & 1) != 0;
    for (unsigned i = 15; i > 0; --i) {
      v.b[i] = static_cast<std::uint8_t>(v.b[i] >> 1 | (v.b[i - 1] & 1) << 7);
    }
    v.b[0] = static_cast<std::uint8_t>(v.b[0] >> 1 ^ (over ? 0xe1 : 0));
  }
}
Block unit(unsigned i) { return g_x[i]; }
Block product(const Block& x, const Block& y) {
  Block z = {};
  for (unsigned i = 0; i < kBits; ++i) {
    if ((x.b[i / 8] >> (7 - i % 8) & 1) == 0) continue;
    for (unsigned j = 0; j < kBits; ++j) {
      if ((y.b[j / 8] >> (7 - j % 8) & 1) != 0) z = z ^ g_x[i + j];
    }
  }
  return z;
}
Block reversed(const Block& x) {
  Block r;
  for (unsigned i = 0; i < 16; ++i) r.b[i] = x.b[15 - i];
  return r;
}

void print(const char* name, const Block& x) {
  std::printf(" %s ", name);
  for (const std::uint8_t b : x.b) std::printf("%02x", b);
}
bool wrong(const char* what, std::size_t n, std::size_t at, const Block& p, const Block& x,
           const Block& got, const Block& want) {
  std::printf("%s (%zu, %zu):", what, n, at);
  print("of", p);
  print("and", x);
  print("it makes", got);
  print("and it should be", want);
  std::printf("\n");
  return false;
}

// The powers of a key lie in its first half, the first one last, and what belongs to a power lies
// at the same place of the other half. Forms with another layout have one power.
constexpr std::size_t kHalf = kGhashKeyBytes / 2;
std::size_t place(std::size_t power) { return kForm.powers == 0 ? 0 : kHalf - 16 * power; }
std::size_t most() { return kForm.powers == 0 ? 1 : kForm.powers; }

// Sets a power to any element, by what begin() makes of it.
void put(GhashKey* key, std::size_t power, const Block& element) {
  GhashKey made = {};
  kForm.begin(element.b, &made);
  std::memcpy(key->bytes + place(power), made.bytes + place(1), 16);
  if (kForm.powers == 0) return;
  std::memcpy(key->bytes + kHalf + place(power), made.bytes + kHalf + place(1), 16);
}

// begin() is a sum of single bits of H, and has no constant.
bool check_begin() {
  GhashKey zero = {};
  kForm.begin(kZero.b, &zero);
  for (const std::uint8_t byte : zero.bytes) {
    if (byte != 0) return wrong("begin", 0, 0, kZero, kZero, {{byte}}, kZero);
  }
  return true;
}

using Hash = void (*)(const GhashKey&, std::uint8_t*, const std::uint8_t*, std::size_t);

// Of n blocks: y and block 0 by power n, block j by power n - j.
bool check_hash(const char* name, Hash hash, bool reverse, std::size_t n) {
  static Block in[64];
  GhashKey key = {};
  const auto made = [&](const Block& first) {
    Block y = first;
    hash(key, y.b, in[0].b, n);
    return y;
  };
  const auto ordered = [&](const Block& x) { return reverse ? reversed(x) : x; };
  if (n == 0) {
    for (unsigned i = 0; i < kBits; ++i) {
      if (!(made(unit(i)) == unit(i)))
        return wrong(name, 0, 0, kZero, unit(i), made(unit(i)), unit(i));
    }
    return made(kZero) == kZero || wrong(name, 0, 0, kZero, kZero, made(kZero), kZero);
  }
  // Place 0 is y, place j + 1 is block j.
  for (std::size_t at = 0; at <= n; ++at) {
    const std::size_t power = at == 0 ? n : n - at + 1;
    for (unsigned a = 0; a <= kBits; ++a) {
      const Block p = a == kBits ? kZero : unit(a);
      put(&key, power, p);
      for (unsigned b = 0; b <= kBits; ++b) {
        const Block x = b == kBits ? kZero : unit(b);
        if (at != 0) in[at - 1] = ordered(x);
        const Block got = ordered(made(at == 0 ? ordered(x) : kZero));
        const Block want = a == kBits || b == kBits ? kZero : g_x[a + b];
        if (!(got == want)) return wrong(name, n, at, p, x, got, want);
      }
      if (at != 0) in[at - 1] = kZero;
    }
    put(&key, power, kZero);
  }
  return true;
}

Block random_block() {
  static std::uint64_t state = 1;
  Block x;
  for (std::uint8_t& b : x.b) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::uint8_t>(state >> 56);
  }
  return x;
}

// A counterexample for a function that is no sum of such products, or only with many bits set.
bool check_random() {
  Block powers[66], in[66], sum, want;
  GhashKey key = {};
  for (unsigned round = 0; round < 64; ++round) {
    for (std::size_t n = 1; n <= most(); ++n) {
      put(&key, n, powers[n] = random_block());
      for (std::size_t j = 0; j < n; ++j) in[j] = random_block();
      sum = want = kZero;
      for (std::size_t j = 0; j < n; ++j) want = want ^ product(in[j], powers[n - j]);
      kForm.update(key, sum.b, in[0].b, n);
      if (!(sum == want)) return wrong("update", n, n, powers[n], in[0], sum, want);
    }
  }
  return true;
}

// Longer runs are passes of a loop: the same as one run after the other.
bool check_long(const char* name, Hash hash) {
  static Block in[160];
  GhashKey key = {};
  for (unsigned round = 0; round < 8; ++round) {
    for (std::size_t i = 1; i <= most(); ++i) put(&key, i, random_block());
    for (Block& x : in) x = random_block();
    const Block first = random_block();
    for (std::size_t n = most() + 1; n <= 4 * most() + 7; ++n) {
      Block got = first, want = first;
      hash(key, got.b, in[0].b, n);
      for (std::size_t at = 0; at < n; at += most()) {
        hash(key, want.b, in[at].b, n - at < most() ? n - at : most());
      }
      if (!(got == want)) return wrong(name, n, n, first, in[0], got, want);
    }
  }
  return true;
}

// The key after grow(): all `made` powers, and nothing else.
bool same_key(const char* what, std::size_t have, std::size_t blocks, const GhashKey& got,
              const Block* powers, std::size_t made) {
  GhashKey want = {};
  for (std::size_t i = 1; i <= made; ++i) put(&want, i, powers[i]);
  if (std::memcmp(&got, &want, sizeof want) == 0) return true;
  for (std::size_t i = 1; i <= most(); ++i) {
    for (const std::size_t half : {std::size_t{0}, kHalf}) {
      Block a, b;
      std::memcpy(a.b, got.bytes + half + place(i), 16);
      std::memcpy(b.b, want.bytes + half + place(i), 16);
      if (!(a == b)) return wrong(what, have, i, powers[1], powers[have], a, b);
    }
  }
  return wrong(what, have, blocks, powers[1], powers[have], kZero, kZero);
}

// New powers have + i = i + have, for i <= have.
bool check_grow(std::size_t have, std::size_t blocks) {
  Block powers[130] = {};
  GhashKey key = {};
  const auto grown = [&] {
    GhashKey made = key;
    const std::size_t count = kForm.grow(&made, static_cast<unsigned>(have), blocks);
    if (count < blocks || count > 2 * have)
      return wrong("grow", have, count, kZero, kZero, kZero, kZero);
    return same_key("grow", have, blocks, made, powers, count);
  };
  if (!grown()) return false;
  // All powers below the highest at once: kinds (P1, Pn), (P2, Pn), ... are of different outputs.
  for (unsigned a = 0; a <= kBits; ++a) {
    for (unsigned b = 0; b <= kBits; ++b) {
      const Block low = a == kBits ? kZero : unit(a), high = b == kBits ? kZero : unit(b);
      for (std::size_t i = 1; i < have; ++i) {
        put(&key, i, powers[i] = low);
        powers[have + i] = a == kBits || b == kBits ? kZero : g_x[a + b];
      }
      put(&key, have, powers[have] = high);
      powers[2 * have] = b == kBits ? kZero : g_x[2 * b];
      if (!grown()) return false;
    }
  }
  for (std::size_t i = 1; i < have; ++i) put(&key, i, powers[i] = powers[have + i] = kZero);
  for (unsigned a = 0; a < kBits; ++a) {
    for (unsigned b = 0; b < a; ++b) {
      put(&key, have, powers[have] = unit(a) ^ unit(b));
      powers[2 * have] = g_x[2 * a] ^ g_x[2 * b];
      if (!grown()) return false;
    }
  }
  return true;
}

// The powers of the first vector, of elements with at most as many bits as the degree.
bool check_first_vector(std::size_t lanes) {
  Block powers[5] = {};
  unsigned at[4];
  const auto check = [&](unsigned bits) {
    for (Block& power : powers) power = kZero;
    for (unsigned i = 0; i < bits; ++i) {
      powers[1] = powers[1] ^ g_x[at[i]];
      powers[2] = powers[2] ^ g_x[2 * at[i]];
      powers[4] = powers[4] ^ g_x[4 * at[i]];
      for (unsigned j = 0; j < bits; ++j) powers[3] = powers[3] ^ g_x[2 * at[i] + at[j]];
    }
    GhashKey made = {};
    put(&made, 1, powers[1]);
    const std::size_t count = kForm.grow(&made, 1, 2);
    if (count != lanes) return wrong("grow", 1, count, powers[1], kZero, kZero, kZero);
    return same_key("grow", 1, 2, made, powers, lanes);
  };
  if (!check(0)) return false;
  for (at[0] = 0; at[0] < kBits; ++at[0]) {
    if (!check(1)) return false;
    for (at[1] = 0; at[1] < at[0]; ++at[1]) {
      if (!check(2)) return false;
      for (at[2] = 0; lanes > 2 && at[2] < at[1]; ++at[2]) {
        if (!check(3)) return false;
        for (at[3] = 0; at[3] < at[2]; ++at[3]) {
          if (!check(4)) return false;
        }
      }
    }
  }
  return true;
}

bool check_expand() {
  // As begin() and grow() to all powers.
  for (unsigned a = 0; a < kBits; ++a) {
    GhashKey got = {}, want = {};
    const Block h = unit(a) ^ unit(a * a % kBits);
    kForm.expand(h.b, &got);
    kForm.begin(h.b, &want);
    kForm.grow(&want, 1, most());
    if (std::memcmp(&got, &want, sizeof got) != 0)
      return wrong("expand", 0, 0, h, kZero, kZero, kZero);
  }
  return true;
}

// Each way in which the three elements can be the same.
bool check_multiply() {
  for (const GhashProduct p : {GhashProduct{2, 0, 1}, {0, 0, 1}, {1, 0, 1}, {2, 1, 0}}) {
    for (unsigned a = 0; a <= kBits; ++a) {
      for (unsigned b = 0; b <= kBits; ++b) {
        Block e[3] = {};
        if (a != kBits) e[0] = unit(a);
        if (b != kBits) e[1] = unit(b);
        const Block x = e[0], y = e[1], want = product(x, y);
        kForm.multiply(reinterpret_cast<std::uint8_t(*)[16]>(e), &p, 1);
        if (!(e[p.to] == want)) return wrong("multiply", p.to, p.a, x, y, e[p.to], want);
      }
    }
  }
  for (const std::uint16_t to : {0, 1}) {
    const GhashProduct p = {to, 0, 0};
    for (unsigned a = 0; a < kBits; ++a) {
      for (unsigned b = 0; b <= a; ++b) {
        Block e[2] = {a == b ? unit(a) : unit(a) ^ unit(b)};
        const Block x = e[0], want = product(x, x);
        kForm.multiply(reinterpret_cast<std::uint8_t(*)[16]>(e), &p, 1);
        if (!(e[to] == want)) return wrong("multiply", to, 0, x, x, e[to], want);
      }
    }
  }
  return true;
}

// Two rows of `count` elements, each by its own H; all of them at once, because each output depends
// on one H and one element only.
bool check_rows(std::size_t count) {
  static Block h[64], rows[128], want[128];
  alignas(64) static std::uint8_t keys[kGhashRowsBytes], text[sizeof rows];
  for (unsigned a = 0; a <= kBits; ++a) {
    for (Block& x : h) x = a == kBits ? kZero : unit(a);
    kForm.expand_rows(h[0].b, count, keys);
    for (unsigned b = 0; b <= kBits; ++b) {
      for (Block& x : rows) x = b == kBits ? kZero : unit(b);
      for (Block& x : want) x = a == kBits || b == kBits ? kZero : g_x[a + b];
      std::memcpy(text, rows, sizeof text);
      kForm.multiply_rows(keys, text, 2);
      for (std::size_t i = 0; i < 2 * count; ++i) {
        Block got;
        std::memcpy(got.b, text + 16 * i, 16);
        if (!(got == want[i])) return wrong("rows", count, i, h[0], rows[0], got, want[i]);
      }
    }
  }
  return true;
}

bool check_all(std::size_t lanes) {
  if (!check_begin() || !check_multiply() || !check_expand()) return false;
  for (std::size_t n = 0; n <= most(); ++n) {
    if (!check_hash("update", kForm.update, false, n)) return false;
    if (!check_hash("polyval", kForm.polyval, true, n)) return false;
  }
  if (!check_long("update", kForm.update) || !check_long("polyval", kForm.polyval)) return false;
  for (std::size_t n = lanes; n <= 64; n += lanes) {
    if (!check_rows(n)) return false;
  }
  if (kForm.powers == 0) return true;
  if (lanes > 1 && !check_first_vector(lanes)) return false;
  for (std::size_t have = lanes; have <= most(); have += lanes) {
    const std::size_t end = 2 * have < most() ? 2 * have : most();
    for (std::size_t blocks = have + 1; blocks <= end; ++blocks) {
      // As many vectors as any number of blocks between.
      if ((blocks - have) % lanes == 1 % lanes && !check_grow(have, blocks)) return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace gpuctr::prove

// usage: ghash LANES [random]: the number of blocks in a vector; random: only random inputs.
int main(int argc, char** argv) {
  using namespace gpuctr::prove;  // NOLINT
  if (argc < 2) return 2;
  make_powers_of_x();
  const bool good = argc > 2 ? check_random() : check_all(static_cast<std::size_t>(*argv[1] - '0'));
  return good ? 0 : 1;
}
