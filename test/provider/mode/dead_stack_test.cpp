// What a call leaves on the stack below it, through libcrypto and the module as it is shipped: two
// runs that differ in their secrets leave the same bytes. In decryption the key and the plaintext
// are secret; in encryption the bytes of the ciphertext and of the tag may differ too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <tuple>

#include "test/kernels/cases.h"
#include "test/provider/support.h"
#include "test/support/dead_stack.h"

namespace gpuctr::test {
namespace {

using Stack = std::array<std::uint8_t, std::size_t{48} << 10>;

enum class Call { kKey, kIv, kLength, kAad, kUpdate, kFinal, kGetTag, kSetTag };
struct Step {
  Call call;
  std::size_t n;
};

// One context and its buffers, at the same addresses in each run.
class Session {
 public:
  Session(const Library& library, const std::string& name)
      : name_(name), cipher_(library.cipher(name)) {}
  bool has(const char* part) const { return name_.find(part) != std::string::npos; }
  bool is_aead() const { return has("-GCM") || has("-CCM"); }

  // The calls of a message of n bytes, and of further updates where the mode takes them.
  std::vector<Step> steps(bool encrypts, std::size_t n) const {
    std::vector<Step> all = {{Call::kKey, 0}, {Call::kIv, 0}};
    if (has("WRAP")) n = n / 16 * 16 + 16;
    if (is_aead() && !encrypts) all.push_back({Call::kSetTag, 0});
    if (has("-CCM")) all.push_back({Call::kLength, n});
    if (is_aead()) all.push_back({Call::kAad, 20});
    all.push_back({Call::kUpdate, n});
    if (!has("WRAP") && !has("-CCM") && !has("SIV")) {
      all.push_back({Call::kUpdate, has("XTS") ? n : 5});
      all.push_back({Call::kUpdate, has("XTS") ? n : 35});
    }
    // Decryption ends in a wrong tag or wrong padding: the error is no secret.
    if (!encrypts) return all;
    all.push_back({Call::kFinal, 0});
    if (is_aead()) all.push_back({Call::kGetTag, 0});
    return all;
  }

  // All steps up to `last`; `stack` is what that one left. False: it was refused.
  bool run(bool encrypts, const std::vector<Step>& steps, std::size_t last, unsigned secret,
           Stack* stack) {
    for (std::size_t i = 0; i < sizeof key_; ++i)
      key_[i] = static_cast<std::uint8_t>((2 * secret + 1) * (37 * i + 11) + 2 * i);
    const std::size_t factor = encrypts ? 4 * secret + 3 : 3;
    for (std::size_t i = 0; i < sizeof in_; ++i)
      in_[i] = static_cast<std::uint8_t>(factor * i + i / 256 + 11);
    std::memset(out_, 0, sizeof out_);
    at_ = 0;
    EVP_CIPHER_CTX_reset(ctx_.get());
    EVP_CIPHER_CTX_set_flags(ctx_.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    EVP_CipherInit_ex2(ctx_.get(), cipher_.get(), nullptr, nullptr, encrypts ? 1 : 0, nullptr);
    if (has("-CCM")) {
      EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_SET_IVLEN, 7, nullptr);
      if (encrypts) EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_SET_TAG, 16, nullptr);
    }
    for (std::size_t i = 0; i < last; ++i) make(steps[i]);
    return look(steps[last], stack);
  }

  // Whether these bytes are of the output or the tag, in either order.
  bool is_public(const std::uint8_t* bytes, std::size_t n) const {
    Bytes turned(bytes, bytes + n);
    std::reverse(turned.begin(), turned.end());
    return memmem(out_, sizeof out_, bytes, n) != nullptr ||
           memmem(out_, sizeof out_, turned.data(), n) != nullptr ||
           memmem(tag_, sizeof tag_, bytes, n) != nullptr;
  }

 private:
  __attribute__((noinline)) bool make(const Step& step) {
    const int n = static_cast<int>(step.n);
    int written = 0;
    switch (step.call) {
      case Call::kKey:
        return EVP_CipherInit_ex2(ctx_.get(), nullptr, key_, nullptr, -1, nullptr) == 1;
      case Call::kIv:
        return EVP_CipherInit_ex2(ctx_.get(), nullptr, nullptr, iv_, -1, nullptr) == 1;
      case Call::kLength:
        return EVP_CipherUpdate(ctx_.get(), nullptr, &written, nullptr, n) == 1;
      case Call::kAad:
        return EVP_CipherUpdate(ctx_.get(), nullptr, &written, aad_, n) == 1;
      case Call::kUpdate: {
        const bool done = EVP_CipherUpdate(ctx_.get(), out_ + at_, &written, in_, n) == 1;
        at_ += static_cast<std::size_t>(std::max(written, 0));
        return done;
      }
      case Call::kFinal:
        return EVP_CipherFinal_ex(ctx_.get(), out_ + at_, &written) == 1;
      case Call::kGetTag:
        return EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag_) == 1;
      case Call::kSetTag:
        return EVP_CIPHER_CTX_ctrl(ctx_.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag_) == 1;
    }
    return false;
  }
  __attribute__((noinline)) bool look(const Step& step, Stack* stack) {
    stack->fill(0);
    GPUCTR_CLEAR_SAVED_REGISTERS();
    look_at_stack<std::tuple_size<Stack>::value>(nullptr);
    const bool done = make(step);
    look_at_stack<std::tuple_size<Stack>::value>(stack->data());
    __asm__ volatile("" : : : "memory");
    return done;
  }

  const std::string name_;
  const Evp<EVP_CIPHER> cipher_;
  const Evp<EVP_CIPHER_CTX> ctx_{EVP_CIPHER_CTX_new()};
  std::uint8_t key_[64], in_[5008], out_[3 * 5008 + 64], tag_[16] = {};
  std::uint8_t iv_[32] = {5}, aad_[20] = {6};
  std::size_t at_ = 0;
};

std::vector<std::string> our_ciphers(const Library& library) {
  std::vector<std::string> names;
  EVP_CIPHER_do_all_provided(
      library.get(),
      [](EVP_CIPHER* cipher, void* list) {
        if (OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)) == std::string("gpuctr"))
          static_cast<std::vector<std::string>*>(list)->push_back(EVP_CIPHER_get0_name(cipher));
      },
      &names);
  return names;
}

// Fewer different bytes in a row are of an address: memory is not always found in the same place.
constexpr std::size_t kLeast = 4;

// The differences between two runs, but for bytes that are public.
std::string secret_bytes(const Session& session, const Stack& a, const Stack& b, bool encrypts) {
  std::string found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    std::size_t end = i + 1;
    while (end < a.size() && (a[end] != b[end] || (end + 1 < a.size() && a[end + 1] != b[end + 1])))
      ++end;
    if (end - i >= kLeast && (!encrypts || !session.is_public(&b[i], end - i)))
      found += " " + std::to_string(end - i) + " at " + std::to_string(a.size() - i);
    i = end;
  }
  return found;
}

// Returns the number of calls that were compared: those before the first that was refused.
std::size_t expect_no_secret(Session* session, bool encrypts, std::size_t n) {
  static Stack first, second;
  const std::vector<Step> steps = session->steps(encrypts, n);
  for (std::size_t last = 0; last < steps.size(); ++last) {
    // The first run is the loader's work.
    for (int i = 0; i < 3; ++i) {
      if (!session->run(encrypts, steps, last, 0, &second)) return last;
    }
    first = second;
    EXPECT_TRUE(session->run(encrypts, steps, last, 1, &second));
    EXPECT_EQ(secret_bytes(*session, first, second, encrypts), "")
        << "step " << last << " of a message of " << n << " bytes";
  }
  return steps.size();
}

// A backend, and whether it encrypts.
class DeadStack : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(DeadStack, HasNoSecret) {
  const auto [backend, encrypts] = GetParam();
  if (!find_backend(backend)->available()) GTEST_SKIP() << "this CPU has no " << backend;
  const Library library("cpu = " + std::string(backend));
  for (const std::string& name : our_ciphers(library)) {
    SCOPED_TRACE(name);
    Session session(library, name);
    // What they leave is public: ciphertext that was shifted, the tag as a counter, a random IV.
    const bool leaves = session.has("CFB1") || session.has("CFB8") || session.has("SIV") ||
                        session.has("DES3-WRAP");
    if (encrypts && leaves) continue;
    std::size_t calls = 0;
    for (const std::size_t n : {1u, 16u, 33u, 100u, 4992u}) {
      calls = std::max(calls, expect_no_secret(&session, encrypts, n));
    }
    // Unwrapping refuses what no key wrapped; libcrypto takes no keys of 128 bytes.
    EXPECT_TRUE(calls > 2 || session.has("WRAP") || session.has("-1024")) << "no text";
  }
}

INSTANTIATE_TEST_SUITE_P(All, DeadStack,
                         testing::Combine(testing::ValuesIn(backend_names()), testing::Bool()),
                         [](const auto& tested) {
                           return gtest_name(
                               std::get<0>(tested.param) +
                               std::string(std::get<1>(tested.param) ? "_encrypts" : "_decrypts"));
                         });

}  // namespace
}  // namespace gpuctr::test
