#include <gtest/gtest.h>
#include "machine.h"
#include "test/support/vectors.h"
using namespace gpuctr;
using gpuctr::avr::Machine;
TEST(First, Ecb) {
  Machine m(GPUCTR_AVR_FIRMWARE);
  const std::uint16_t a = m.data("test_arena");
  auto at = [&](int o) { return static_cast<std::uint16_t>(a + o); };
  for (const char* file : {"lea.txt", "edge_lea.txt"})
    for (auto& s : test::read_vectors(file)) {
      const std::string c = s.text("Cipher");
      const bool ctr = c.find("-CTR") != std::string::npos;
      for (const char* v : {"_small", ""}) {
        const std::string n = "gpuctr_lea" + c.substr(4, 3);
        m.write(at(800), s.bytes("Key"));
        auto r = m.call(n + "_set_key", {at(0), at(800)});
        ASSERT_EQ(r.fault, "");
        auto in = s.bytes("Plaintext"), out = s.bytes("Ciphertext");
        if (in.size() > 800) continue;
        if (ctr) {
          m.write(at(840), s.bytes("IV"));
          m.call("gpuctr_ctr_init",
                 {at(900), static_cast<std::uint16_t>(m.code(n + v)), at(0), at(840)});
          m.write(at(1000), in);
          r = m.call("gpuctr_ctr_crypt",
                     {at(900), at(1900), at(1000), static_cast<std::uint16_t>(in.size())});
          ASSERT_EQ(r.fault, "");
          ASSERT_EQ(m.read(at(1900), out.size()), out) << s.place() << v;
          continue;
        }
        for (std::size_t i = 0; i < in.size(); i += 16) {
          m.write(at(840), {in.begin() + i, in.begin() + i + 16});
          r = m.call(n + v + "_encrypt", {at(0), at(860), at(840)});
          ASSERT_EQ(r.fault, "") << s.place();
          ASSERT_EQ(m.read(at(860), 16),
                    (gpuctr::avr::Bytes{out.begin() + i, out.begin() + i + 16}))
              << s.place() << v;
        }
      }
    }
  for (const char* n : {"gpuctr_lea128", "gpuctr_lea192", "gpuctr_lea256"}) {
    printf("%s key %lu", n, m.call(std::string(n) + "_set_key", {at(0), at(800)}).cycles);
    printf(" enc %lu", m.call(std::string(n) + "_encrypt", {at(0), at(800), at(800)}).cycles);
    printf(" small %lu",
           m.call(std::string(n) + "_small_encrypt", {at(0), at(800), at(800)}).cycles);
    m.write(at(840), test::Bytes(16, 0));
    m.call("gpuctr_ctr_init", {at(900), static_cast<std::uint16_t>(m.code(n)), at(0), at(840)});
    printf(" first %lu", m.call("gpuctr_ctr_crypt", {at(900), at(1000), at(1000), 16}).cycles);
    printf(" ctr %f\n",
           static_cast<double>(
               m.call("gpuctr_ctr_crypt", {at(900), at(1000), at(1000), 1024}).cycles) /
               1024.0);
  }
}
