// The CUDA layer beside the kernels: what it says without a card, memory, streams, threads, losing
// the card, and jobs of several GiB.
#include <algorithm>
#include <thread>

#include "kernels/cipher/folders.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = CardMemory::Where;

TEST(Layer, WithoutACardSaysSo) {
  const GpuLayer* const layer = gpu_cuda_layer();
  if (layer == nullptr) GTEST_SKIP() << "CPU-only build";
  int count = -1;
  const GpuStatus status = layer->device_count(&count);
  if (status == GpuStatus::kOk) GTEST_SKIP() << "there is a card";
  EXPECT_TRUE(status == GpuStatus::kNoDriver || status == GpuStatus::kNoDevice)
      << gpu_status_text(status);
  EXPECT_EQ(count, 0);
  GpuStream* stream = nullptr;
  EXPECT_NE(layer->stream_create(0, &stream), GpuStatus::kOk);
  void* memory = nullptr;
  EXPECT_NE(layer->pinned_alloc(0, 4096, &memory), GpuStatus::kOk);
  EXPECT_NE(layer->device_alloc(0, 4096, &memory), GpuStatus::kOk);
  int device = -1;
  EXPECT_EQ(layer->pointer_kind(&count, &device), GpuPointerKind::kHost);
}

TEST(Layer, KnowsTheCard) {
  GPUCTR_NEEDS_A_CARD();
  GpuInfo info;
  ASSERT_OK(cuda_with_a_card()->device_info(0, &info));
  EXPECT_GT(std::strlen(info.name), 0u);
  EXPECT_GT(info.processors, 0);
  EXPECT_GT(info.memory_bytes, std::size_t{1} << 30);
  EXPECT_NE(cuda_with_a_card()->device_info(1000, &info), GpuStatus::kOk);
}

TEST(Layer, KnowsWhoseMemory) {
  GPUCTR_NEEDS_A_CARD();
  const GpuLayer* const layer = cuda_with_a_card();
  const CardMemory device(Where::kDevice, 4096);
  const CardMemory pinned(Where::kPinned, 4096);
  const Bytes host(4096);
  int card = -1;
  EXPECT_EQ(layer->pointer_kind(device.get() + 77, &card), GpuPointerKind::kDevice);
  EXPECT_EQ(card, 0);
  EXPECT_EQ(layer->pointer_kind(pinned.get() + 77, &card), GpuPointerKind::kPinned);
  EXPECT_EQ(layer->pointer_kind(host.data(), &card), GpuPointerKind::kHost);
  EXPECT_EQ(layer->pointer_kind(nullptr, &card), GpuPointerKind::kHost);
}

TEST(Layer, EventsFollowTheStream) {
  GPUCTR_NEEDS_A_CARD();
  const GpuLayer* const layer = cuda_with_a_card();
  const std::size_t n = std::size_t{1} << 30;
  const CardMemory memory(Where::kDevice, n);
  CardStream stream;
  GpuEvent* event = nullptr;
  ASSERT_OK(layer->event_create(0, &event));
  const Key key(*find_cipher("CHAM-128-256"));
  const Bytes counter(16);
  ASSERT_OK(layer->ctr(stream, key.cipher, key.keys, counter.data(), nullptr, memory.get(), n));
  ASSERT_OK(layer->event_record(stream, event));
  EXPECT_EQ(layer->event_query(event), GpuStatus::kNotReady);
  EXPECT_OK(layer->event_wait(event));
  EXPECT_OK(layer->event_query(event));
  layer->event_destroy(event);
}

TEST(Layer, ZeroesAndRefusesTooMuch) {
  GPUCTR_NEEDS_A_CARD();
  const GpuLayer* const layer = cuda_with_a_card();
  const CardMemory memory(Where::kDevice, 5000);
  CardStream stream;
  stream.put(memory.get(), random_bytes(5000));
  ASSERT_OK(layer->zero(stream, memory.get() + 3, 4000));
  EXPECT_EQ(stream.get(memory.get() + 3, 4000), Bytes(4000));
  void* huge = nullptr;
  EXPECT_EQ(layer->device_alloc(0, std::size_t{1} << 50, &huge), GpuStatus::kOutOfMemory);
  stream.put(memory.get(), random_bytes(100));  // the failure has left nothing behind
}

// Of a cipher whose folder has no cuda.cu: refused before the card is asked anything.
TEST(Layer, RefusesACipherWithoutKernels) {
  const GpuLayer* const layer = gpu_cuda_layer();
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const Key key(cipher_spec(i));
    if (layer->takes(key.cipher)) continue;
    std::uint8_t counter[kMaxBlockBytes] = {};
    EXPECT_EQ(layer->ctr(nullptr, key.cipher, key.keys, counter, nullptr, nullptr, 16),
              GpuStatus::kUnsupported);
    EXPECT_EQ(layer->ctr_batch(nullptr, key.cipher, nullptr, 0, nullptr, nullptr),
              GpuStatus::kUnsupported);
    EXPECT_EQ(layer->blocks(nullptr, key.cipher, key.keys, GpuVerb::kEncrypt, nullptr, nullptr,
                            nullptr, 1),
              GpuStatus::kUnsupported);
  }
}

// The tests on a card go over what it takes: no cipher whose folder has kernels is missing there.
template <class... C>
void expect_taken(CipherList<C...>) {
  const std::vector<const char*> names = {C::kName...};
  for (const char* name : names) {
    EXPECT_TRUE(gpu_cuda_layer()->takes(*find_cipher(name))) << name;
  }
}
TEST(Layer, TakesEveryCipherWithKernels) { expect_taken(CiphersWithCuda{}); }

TEST(Layer, ThreadsWithTheirOwnStreams) {
  GPUCTR_NEEDS_A_CARD();
  const std::vector<std::size_t> ciphers = ciphers_with_kernels();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    const Key key(cipher_spec(ciphers[t % ciphers.size()]));
    const Bytes counter = random_bytes(key.cipher.block_bytes);
    threads.emplace_back([key, counter] {
      const std::size_t n = 300001;
      const CardMemory memory(Where::kDevice, n);
      CardStream stream;
      Bytes want(n);
      key.expect(counter, &want);
      for (unsigned i = 0; i < 20; ++i) {
        EXPECT_OK(cuda_with_a_card()->ctr(stream, key.cipher, key.keys, counter.data(), nullptr,
                                          memory.get(), n));
        EXPECT_EQ(first_difference(stream.get(memory.get(), n), want), n);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

// A kernel that touches no memory of ours takes the context with it.
void lose_the_card() {
  const GpuLayer* const layer = cuda_with_a_card();
  GpuStream* stream = nullptr;
  GpuEvent* event = nullptr;
  void* memory = nullptr;
  layer->stream_create(0, &stream);
  layer->event_create(0, &event);
  layer->device_alloc(0, 4096, &memory);
  const Key key(*find_cipher("LEA-128"));
  const Bytes counter(16);
  layer->ctr(stream, key.cipher, key.keys, counter.data(), nullptr,
             reinterpret_cast<void*>(std::uintptr_t{4096}), 4096);
  const bool lost = layer->stream_wait(stream) == GpuStatus::kDeviceLost;
  const bool for_good = layer->event_query(event) == GpuStatus::kDeviceLost &&
                        layer->ctr(stream, key.cipher, key.keys, counter.data(), nullptr, memory,
                                   4096) == GpuStatus::kDeviceLost;
  layer->device_free(0, memory);
  layer->event_destroy(event);
  layer->stream_destroy(stream);
  _exit(lost ? for_good ? 42 : 2 : 1);
}

TEST(LayerDeathTest, ALostCardStaysLost) {
  GPUCTR_NEEDS_A_CARD();
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a fresh process: no CUDA after a fork
  EXPECT_EXIT(lose_the_card(), testing::ExitedWithCode(42), "");
}

class Large : public testing::TestWithParam<std::size_t> {};

// Beyond 32 bits of everything: bytes, and blocks of the low counter word.
TEST_P(Large, SeveralGiB) {
  GPUCTR_NEEDS_A_CARD();
  const GpuLayer* const layer = cuda_with_a_card();
  const Key key(cipher_spec(GetParam()));
  const std::size_t block = key.cipher.block_bytes;
  const std::size_t n = (std::size_t{5} << 30) + 12345;
  const CardMemory memory(Where::kDevice, n);
  if (memory.get() == nullptr) GTEST_SKIP() << "the card has no 5 GiB free";
  CardStream stream;
  Bytes counter = random_bytes(block);
  // The carry comes 1, 2 or 4 GiB in.
  const std::size_t to_carry = std::min(std::size_t{1} << 27, (std::size_t{4} << 30) / block);
  for (unsigned i = 0; i < 4; ++i) {
    counter[block - 1 - i] = static_cast<std::uint8_t>((0 - to_carry) >> (8 * i));
  }
  ASSERT_OK(layer->ctr(stream, key.cipher, key.keys, counter.data(), nullptr, memory.get(), n));
  const std::size_t carry = to_carry * block;
  for (unsigned i = 0; i < 200; ++i) {
    const std::size_t window = 4096;
    std::size_t at = random_below(n - window) / block * block;
    if (i == 0) at = 0;
    if (i == 1) at = carry - window / 2;
    if (i == 2) at = (n - window) / block * block;
    const std::size_t size = i == 2 ? n - at : window;
    Bytes here = counter;
    counter_add(here.data(), block, at / block);
    Bytes want(size);
    key.expect(here, &want);
    ASSERT_EQ(first_difference(stream.get(memory.get() + at, size), want), size) << "at " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Large, testing::ValuesIn(ciphers_with_kernels()), cipher_test_name);

}  // namespace
}  // namespace gpuctr
