// A stream generator whose device is required: what the device makes, and the error if there is
// none or it fails. The next request then has the number of the failed one.
#include "test/provider/device/device.h"

namespace gpuctr {
namespace test {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

class StreamOnADevice : public testing::Test {
 protected:
  // A generator with a seed.
  void load(const DeviceLayer* layer, const char* gpu) {
    unload();
    g_layer = layer;
    core_ = std::make_unique<Core>(
        Core::Section{{"gpu", gpu}, {"gpu-threshold", "64K"}, {"threads", "1"}});
    ASSERT_TRUE(core_->load(OSSL_provider_init));
    f_ = core_->find(OSSL_OP_RAND, "LEA-128-STREAM");
    ASSERT_NE(f_, nullptr);
    rand_ = function<OSSL_FUNC_rand_newctx_fn>(f_, OSSL_FUNC_RAND_NEWCTX)(core_->context(), nullptr,
                                                                          nullptr);
    Bytes seed(16, 0x5a);
    const OSSL_PARAM params[] = {{"seed", OSSL_PARAM_OCTET_STRING, seed.data(), seed.size(), 0},
                                 {nullptr, 0, nullptr, 0, 0}};
    ASSERT_EQ(1, function<OSSL_FUNC_rand_instantiate_fn>(f_, OSSL_FUNC_RAND_INSTANTIATE)(
                     rand_, 0, 0, nullptr, 0, params));
  }
  void unload() {
    if (rand_ != nullptr) {
      function<OSSL_FUNC_rand_freectx_fn>(f_, OSSL_FUNC_RAND_FREECTX)(rand_);
    }
    rand_ = nullptr;
    core_.reset();
  }
  void TearDown() override { unload(); }
  int generate(Bytes* out) {
    return function<OSSL_FUNC_rand_generate_fn>(f_, OSSL_FUNC_RAND_GENERATE)(
        rand_, out->data(), out->size(), 0, 0, nullptr, 0);
  }
  // The number of the next request.
  std::uint64_t call() {
    std::uint64_t number = 99;
    OSSL_PARAM params[] = {{"call", OSSL_PARAM_UNSIGNED_INTEGER, &number, sizeof number, 0},
                           {nullptr, 0, nullptr, 0, 0}};
    EXPECT_EQ(1, function<OSSL_FUNC_rand_get_ctx_params_fn>(f_, OSSL_FUNC_RAND_GET_CTX_PARAMS)(
                     rand_, params));
    return number;
  }
  // No byte of the output is left: each is as it was, or zero.
  void expect_refused() {
    Bytes out(kBytes, 0xa5);
    EXPECT_EQ(0, generate(&out));
    for (const std::uint8_t byte : out) ASSERT_TRUE(byte == 0xa5 || byte == 0);
    const auto errors = core_->take_errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].reason, static_cast<std::uint32_t>(Reason::kGpuRequired));
    EXPECT_EQ(errors[0].data.rfind("LEA-128-STREAM could not make its output: ", 0), 0u)
        << errors[0].data;
    EXPECT_EQ(call(), 0u);
  }

  std::unique_ptr<Core> core_;
  const OSSL_DISPATCH* f_ = nullptr;
  void* rand_ = nullptr;
};

TEST_F(StreamOnADevice, Required) {
  load(nullptr, "off");
  Bytes want(kBytes), made(kBytes);
  ASSERT_EQ(1, generate(&want));
  load(fake_gpu(), "require");
  ASSERT_EQ(1, generate(&made));
  EXPECT_TRUE(made == want);
  EXPECT_EQ(call(), 1u);
  EXPECT_GT(fake_calls(Call::kCtr), 0u);
}

TEST_F(StreamOnADevice, RequiredAndFailing) {
  load(nullptr, "require");
  expect_refused();
  load(fake_gpu(), "require");
  fake_fail(Call::kCtr, 1, DeviceStatus::kLaunch, 999);
  expect_refused();
  EXPECT_GT(fake_struck(), 0u);
}

}  // namespace
}  // namespace test
}  // namespace gpuctr
