// The repository's vector files through the AVR port.
#include "test/support/vectors.h"

#include <set>

#include "cases.h"

namespace gpuctr::avr {
namespace {

using test::Stanza;

class Vectors : public testing::TestWithParam<Variant> {
 protected:
  // Stanzas of `files` about the variant's cipher, and with its key where that is in the code.
  std::vector<Stanza> stanzas(const std::vector<std::string>& files, const std::string& mode) {
    std::vector<Stanza> found;
    for (const std::string& file : files) {
      for (const Stanza& s : test::read_vectors(file)) {
        if (s.text("Cipher") == GetParam().name + mode) found.push_back(s);
      }
    }
    return found;
  }
  // A file in the folder of the variant's cipher.
  std::string in_folder(const char* file) {
    const std::string name = GetParam().name;
    const std::string folder = name.substr(0, 3) == "LEA" ? "lea"
                               : name == "HIGHT"          ? "hight"
                                                          : "cham";
    const bool is_made = std::string(file).substr(0, 4) == "edge";  // by the build
    return (is_made ? "test/edge/" : "kernels/cipher/") + folder + "/" + file;
  }
  std::vector<std::string> files() { return {in_folder("vectors.txt"), in_folder("edge.txt")}; }
  Device device_;
};

TEST_P(Vectors, Ecb) {
  std::size_t blocks = 0;
  for (const Stanza& s : stanzas(files(), "-ECB")) {
    device_.free_all();
    DeviceKey key(device_, GetParam(), s.bytes("Key"));
    const Bytes in = s.bytes("Plaintext");
    Bytes out;
    for (auto at = in.begin(); at != in.end(); at += static_cast<long>(key.spec().block)) {
      const Bytes block = key.encrypt(Bytes(at, at + static_cast<long>(key.spec().block)));
      out.insert(out.end(), block.begin(), block.end());
      ++blocks;
    }
    ASSERT_EQ(out, s.bytes("Ciphertext")) << s.place();
  }
  EXPECT_GT(blocks, 10u);
}

TEST_P(Vectors, Ctr) {
  std::size_t messages = 0;
  for (const Stanza& s : stanzas(files(), "-CTR")) {
    if (s.has("CtrBits")) continue;
    device_.free_all();
    const DeviceKey key(device_, GetParam(), s.bytes("Key"));
    DeviceCtr ctr(device_, key, s.bytes("IV"));
    const Bytes in = s.bytes("Plaintext");
    Bytes out;
    while (out.size() < in.size()) {  // some are longer than the memory
      const auto at = in.begin() + static_cast<long>(out.size());
      const std::size_t piece = std::min<std::size_t>(1001, in.size() - out.size());
      const auto result = ctr.crypt(Bytes(at, at + static_cast<long>(piece)), true);
      ASSERT_TRUE(result);
      out.insert(out.end(), result->begin(), result->end());
    }
    ASSERT_EQ(out, s.bytes("Ciphertext")) << s.place();
    ++messages;
  }
  EXPECT_GT(messages, 5u);
}

// Counter fields of whole bytes, the ones this port has.
TEST_P(Vectors, CounterFields) {
  std::size_t messages = 0;
  for (const Stanza& s : stanzas({in_folder("edge_ctr_bits.txt")}, "-CTR")) {
    const unsigned long bits = std::stoul(s.text("CtrBits"));
    if (bits % 8 != 0) continue;
    device_.free_all();
    const DeviceKey key(device_, GetParam(), s.bytes("Key"));
    DeviceCtr ctr(device_, key, s.bytes("IV"), static_cast<std::uint8_t>(bits / 8));
    ASSERT_EQ(ctr.crypt(s.bytes("Plaintext")), s.bytes("Ciphertext")) << s.place();
    ++messages;
  }
  EXPECT_GT(messages, 3u);
}

Bytes optional(const Stanza& s, const std::string& name) {
  return s.has(name) ? s.bytes(name) : Bytes();
}

// Reading as in the files' headers.
void check_drbg(Device& device, const Variant& variant, const Stanza& s) {
  device.free_all();
  DeviceDrbg drbg(device, variant);
  const bool use_df = s.text("DerivationFunction") == "1";
  const DeviceDrbg::Input nonce = use_df ? DeviceDrbg::Input(s.bytes("Nonce")) : std::nullopt;
  ASSERT_TRUE(drbg.instantiate(s.bytes("Entropy"), nonce, s.bytes("Personalization"), use_df))
      << s.place() << " status " << drbg.status();
  if (s.has("ReseedInterval")) {
    drbg.set_interval(static_cast<std::uint32_t>(std::stoul(s.text("ReseedInterval"))));
  }
  if (s.has("ReseedEntropy")) {
    ASSERT_TRUE(drbg.reseed(s.bytes("ReseedEntropy"), optional(s, "ReseedAdditional")));
  }
  for (const std::string step : {".1", ".2"}) {
    DeviceDrbg::Input fresh, additional = s.bytes("Additional" + step);
    const std::size_t size = s.bytes(s.has("Output.1") ? "Output.1" : "Output.2").size();
    if (s.has("Entropy" + step)) {
      fresh = s.bytes("Entropy" + step);
      if (s.has("ReseedInterval")) {
        ASSERT_FALSE(drbg.generate(size, std::nullopt, additional)) << s.place();
        ASSERT_EQ(drbg.status(), kErrReseed) << s.place();
      }
    }
    const auto out = drbg.generate(size, fresh, additional);
    ASSERT_TRUE(out) << s.place() << " status " << drbg.status();
    if (s.has("Output" + step)) {
      ASSERT_EQ(*out, s.bytes("Output" + step)) << s.place() << " generate" << step;
    }
  }
}

TEST_P(Vectors, CtrDrbg) {
  std::size_t checked = 0;
  for (const std::string& file :
       {std::string("test/vectors/ctr_drbg_ttak.txt"), in_folder("edge_ctr_drbg.txt")}) {
    for (const Stanza& s : stanzas({file}, "")) {
      ASSERT_NO_FATAL_FAILURE(check_drbg(device_, GetParam(), s));
      ++checked;
    }
  }
  EXPECT_GT(checked, 20u);
}

INSTANTIATE_TEST_SUITE_P(Avr, Vectors, testing::ValuesIn(with_any_key()), variant_name);

}  // namespace
}  // namespace gpuctr::avr
