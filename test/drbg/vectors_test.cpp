// Published CTR_DRBG vectors: NIST's over AES and TDEA prove the construction for both block
// lengths, TTA's prove it over HIGHT and LEA.
#include <gtest/gtest.h>

#include <set>

#include "test/drbg/ciphers.h"
#include "test/drbg/model.h"
#include "test/fake_gpu/fake_gpu.h"
#include "test/support/vector_files.h"

namespace gpuctr {
namespace {

using drbg::Status;
using test::Bytes;
using test::Stanza;
using test::view;

Bytes optional(const Stanza& s, const std::string& name) {
  return s.has(name) ? s.bytes(name) : Bytes();
}

// Where the output goes: ordinary memory, or memory of a device, which the engine fills. The device
// has no kernels for libcrypto's ciphers.
class Output {
 public:
  Output(const DeviceLayer* layer, std::size_t n) : layer_(layer), host_(n) {
    if (layer_ != nullptr) {
      EXPECT_EQ(layer_->device_alloc(0, n, &memory_), DeviceStatus::kOk);
    }
  }
  ~Output() {
    if (layer_ != nullptr) layer_->device_free(0, memory_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  std::uint8_t* data() {
    return layer_ != nullptr ? static_cast<std::uint8_t*>(memory_) : host_.data();
  }
  Bytes bytes() {
    if (layer_ == nullptr) return host_;
    const std::uint8_t* const shadow = test::fake_shadow(memory_);
    return Bytes(shadow, shadow + host_.size());
  }

 private:
  const DeviceLayer* const layer_;
  Bytes host_;
  void* memory_ = nullptr;
};

// Both ways to make one request.
struct Ways {
  explicit Ways(const std::string& name) : by_thread(test::make_cipher(name)) {
    if (by_thread == nullptr) return;
    test::FakeOptions options;
    if (find_cipher(name.c_str()) == nullptr) options.without = &by_thread->mechanism.spec;
    layer = test::fake_gpu(options);
    EngineConfig config;
    config.layer = layer;
    config.gpu_pointers = GpuPointers::kYes;
    by_engine = test::make_cipher(name, config);
  }
  std::unique_ptr<test::Cipher> by_thread;
  const DeviceLayer* layer = nullptr;
  std::unique_ptr<test::Cipher> by_engine;
};

void check(const Stanza& s, const drbg::Mechanism& mechanism, const DeviceLayer* layer) {
  drbg::CtrDrbg drbg(mechanism, s.text("DerivationFunction") == "1");
  if (s.has("ReseedInterval")) drbg.set_reseed_interval(std::stoull(s.text("ReseedInterval")));
  ASSERT_EQ(drbg.instantiate(view(s.bytes("Entropy")), view(s.bytes("Nonce")),
                             view(s.bytes("Personalization"))),
            Status::kOk)
      << s.place();
  if (s.has("ReseedEntropy")) {
    ASSERT_EQ(drbg.reseed(view(s.bytes("ReseedEntropy")), view(s.bytes("ReseedAdditional"))),
              Status::kOk)
        << s.place();
  }
  for (const char* step : {"1", "2"}) {
    const std::string dot = std::string(".") + step;
    Bytes additional = s.bytes("Additional" + dot);
    const std::size_t n =
        s.has("Output.1") ? s.bytes("Output.1").size() : s.bytes("Output.2").size();
    Output out(layer, n);
    if (s.has("Entropy" + dot)) {
      if (s.has("ReseedInterval")) {
        EXPECT_EQ(drbg.generate(out.data(), n, view(additional)), Status::kReseedRequired);
        EXPECT_EQ(out.bytes(), Bytes(n)) << "a refused request writes nothing";
      }
      ASSERT_EQ(drbg.reseed(view(s.bytes("Entropy" + dot)), view(additional)), Status::kOk);
      additional.clear();
    }
    ASSERT_EQ(drbg.generate(out.data(), n, view(additional)), Status::kOk) << s.place();
    if (s.has("Output" + dot)) {
      EXPECT_EQ(test::to_hex(out.bytes()), s.text("Output" + dot))
          << s.place() << " generate " << step;
    }
  }
}

void check_file(const char* file, std::size_t expected, const std::set<std::string>& may_miss) {
  std::size_t checked = 0;
  std::set<std::string> missing;
  std::string cipher;
  std::unique_ptr<Ways> ways;  // of this cipher; there is one fake at a time
  for (const Stanza& s : test::read_vectors(file)) {
    if (s.text("Cipher") != cipher) {
      cipher = s.text("Cipher");
      ways = std::make_unique<Ways>(cipher);
    }
    if (ways->by_thread == nullptr) {
      EXPECT_EQ(may_miss.count(s.text("Cipher")), 1u) << s.place();
      missing.insert(s.text("Cipher"));
      ++checked;
      continue;
    }
    check(s, ways->by_thread->mechanism, nullptr);
    check(s, ways->by_engine->mechanism, ways->layer);
    ++checked;
  }
  EXPECT_EQ(checked, expected);
  for (const std::string& name : missing) {
    std::cout << "this libcrypto has no " << name << ": its vectors were not run\n";
  }
}

TEST(Vectors, NistOverAesAndTdea) { check_file("test/vectors/ctr_drbg_nist.txt", 192, {}); }

// SEED is in libcrypto's legacy provider, which a system may not install.
TEST(Vectors, TtaOverHightLeaAriaSeed) {
  check_file("test/vectors/ctr_drbg_ttak.txt", 192, {"SEED"});
}

TEST(Vectors, EdgeCasesOfEveryCipher) {
  for (const char* file : test::kEdgeDrbg) {
    check_file(file, test::read_vectors(file).size(), {});
  }
}

// The yardstick of the other tests stands on the same ground.
TEST(Vectors, TheModelToo) {
  for (const char* file : {"test/vectors/ctr_drbg_nist.txt", "test/vectors/ctr_drbg_ttak.txt"}) {
    for (const Stanza& s : test::read_vectors(file)) {
      const auto cipher = test::make_cipher(s.text("Cipher"));
      if (cipher == nullptr) continue;
      test::ModelDrbg model(cipher->mechanism, s.text("DerivationFunction") == "1");
      model.instantiate(s.bytes("Entropy"), s.bytes("Nonce"), s.bytes("Personalization"));
      if (s.has("ReseedEntropy")) {
        model.reseed(s.bytes("ReseedEntropy"), s.bytes("ReseedAdditional"));
      }
      Bytes out;
      for (const char* step : {".1", ".2"}) {
        Bytes additional = optional(s, std::string("Additional") + step);
        if (s.has(std::string("Entropy") + step)) {
          model.reseed(s.bytes(std::string("Entropy") + step), additional);
          additional.clear();
        }
        out = model.generate(s.bytes("Output.2").size(), additional);
      }
      EXPECT_EQ(test::to_hex(out), s.text("Output.2")) << s.place();
    }
  }
}

}  // namespace
}  // namespace gpuctr
