// The NEON backend against the scalar one, for a cross compiler that has no GoogleTest.
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/cpu/backend.h"

int main() {
  using namespace gpuctr;
  std::mt19937 random(7);
  const auto fill = [&](std::uint8_t* p, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<std::uint8_t>(random());
  };
  const Backend* neon = find_backend("neon");
  if (neon == nullptr || &best_backend() != neon) return std::puts("no NEON backend"), 1;
  for (std::size_t c = 0; c < kCipherCount; ++c) {
    const CipherSpec& cipher = cipher_spec(c);
    const CipherOps& ours = neon->ops[c];
    const CipherOps& scalar = find_backend("scalar")->ops[c];
    for (int i = 0; i < 400; ++i) {
      std::uint8_t key[kMaxKeyBytes];
      std::uint8_t counter[kMaxBlockBytes];
      fill(key, sizeof key);
      fill(counter, sizeof counter);
      // Half of the counters carry far within the first few hundred blocks.
      if (i % 2 == 0) std::memset(counter + random() % 8, 0xff, 8);
      RoundKeys keys{};
      cipher.expand(key, &keys);
      const std::size_t n = random() % 4000;
      const std::size_t blocks = n / cipher.block_bytes;
      std::vector<std::uint8_t> in(n + 1);
      std::vector<std::uint8_t> a(n + 1);
      std::vector<std::uint8_t> b(n + 1);
      fill(in.data(), n);
      ours.ctr(keys, counter, in.data(), a.data(), n);
      scalar.ctr(keys, counter, in.data(), b.data(), n);
      bool same = a == b;
      ours.encrypt(keys, in.data(), a.data(), blocks);
      scalar.encrypt(keys, in.data(), b.data(), blocks);
      same = same && a == b;
      ours.decrypt(keys, in.data(), a.data(), blocks);
      scalar.decrypt(keys, in.data(), b.data(), blocks);
      if (!same || a != b) return std::printf("%s, %zu bytes: differs\n", cipher.name, n), 1;
    }
  }
  return 0;
}
