// What a machine leaves behind on x86: nothing that depends on the key or the counter (CTR_DRBG's
// is secret) on the stack, nothing at all in the vector registers.
#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"

namespace gpuctr {
namespace {

constexpr std::size_t kStack = 16384;
// Whole batches and a tail on every machine; the short ways; a tail alone.
constexpr std::size_t kLengths[] = {5000, 16, 8, 13, 5, 64, 61, 40, 128, 256, 200};

// The call under test uses the stack that this function sees: filled before it, and copied after it
// to `out`. One function for both, so that its array lies in the same place.
__attribute__((noinline)) void look_at_stack(std::uint8_t* out) {
  std::uint8_t below[kStack];
  __asm__ volatile("" : : "r"(below) : "memory");  // as if it had been written
  if (out != nullptr) {
    std::memcpy(out, below, sizeof below);
  } else {
    std::memset(below, 0xee, sizeof below);
  }
  __asm__ volatile("" : : "r"(below) : "memory");
}

struct Registers {
  std::uint8_t bytes[32][64];
};

#define GPUCTR_LOW_REGISTERS(store)                                                         \
  store(0) store(1) store(2) store(3) store(4) store(5) store(6) store(7) store(8) store(9) \
      store(10) store(11) store(12) store(13) store(14) store(15)
#define GPUCTR_HIGH_REGISTERS(store)                                                        \
  store(16) store(17) store(18) store(19) store(20) store(21) store(22) store(23) store(24) \
      store(25) store(26) store(27) store(28) store(29) store(30) store(31)

// Calls nothing: the C library's string functions use vector registers as well.
__attribute__((always_inline)) inline void read_registers(bool avx512, Registers* out) {
  if (avx512) {
#define GPUCTR_STORE(n) __asm__ volatile("vmovdqu64 %%zmm" #n ", %0" : "=m"(out->bytes[n]));
    GPUCTR_LOW_REGISTERS(GPUCTR_STORE)
    GPUCTR_HIGH_REGISTERS(GPUCTR_STORE)
#undef GPUCTR_STORE
  } else {
#define GPUCTR_STORE(n) __asm__ volatile("movdqu %%xmm" #n ", %0" : "=m"(out->bytes[n]));
    GPUCTR_LOW_REGISTERS(GPUCTR_STORE)
#undef GPUCTR_STORE
  }
}

class Wipe : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    machine_ = find_machine(GetParam());
    ASSERT_NE(machine_, nullptr);
    if (!machine_->available()) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
  const Machine* machine_ = nullptr;
};

// One call, and what it left.
enum class Call { kCtr, kStep, kChain, kRequests };
constexpr Call kCalls[] = {Call::kCtr, Call::kStep, Call::kChain, Call::kRequests};
constexpr const char* kCallNames[] = {"ctr", "step", "chain", "requests"};
struct Remains {
  std::uint8_t stack[kStack];
  Registers registers;
};
__attribute__((noinline)) void call_and_look(const CipherOps& ops, const RoundKeys& keys,
                                             const std::uint8_t* key, const std::uint8_t* counter,
                                             std::size_t length, Call call, bool avx512,
                                             Remains* remains) {
  static std::uint8_t chain_key[kMaxKeyBytes];
  static std::uint8_t v[kMaxBlockBytes];
  static ChainLink links[3];
  std::memcpy(chain_key, key, sizeof chain_key);
  std::memcpy(v, counter, sizeof v);
  static std::uint8_t seed[64];
  static std::uint8_t out[kLengths[0]];
  // The machine saves the caller's registers on its stack: the same ones for both keys.
  __asm__ volatile(
      "xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\t"
      "xorl %%r14d, %%r14d\n\txorl %%r15d, %%r15d"
      :
      :
      : "rbx", "r12", "r13", "r14", "r15", "cc");
  std::memset(remains, 0, sizeof *remains);
  look_at_stack(nullptr);
  if (call == Call::kStep) {
    ops.step(keys, counter, out, length, seed);
  } else if (call == Call::kChain) {
    ops.chain(chain_key, v, length, links, std::size(links));
  } else if (call == Call::kRequests && ops.requests != nullptr) {
    static std::uint8_t three[3 * 1024];
    ops.requests(chain_key, v, three, sizeof three / 3, 3);
  } else {
    ops.ctr(keys, counter, nullptr, out, length);
  }
  read_registers(avx512, &remains->registers);
  look_at_stack(remains->stack);
  __asm__ volatile("" : : : "memory");  // no tail call: this frame is not to be looked at
}

// With two keys and counters the stack below must end up the same: a difference is something that
// depends on them.
TEST_P(Wipe, NothingStays) {
  static Remains remains;
  static std::uint8_t first_stack[kStack];
  static volatile std::uint8_t key_byte;  // no register may tell which of the two keys it is
  const bool avx512 = std::string(GetParam()).rfind("avx512", 0) == 0;
  const bool simd = std::string(GetParam()) != "scalar";  // whose registers are the compiler's
  const std::uint8_t no_key[kMaxKeyBytes] = {};
  call_and_look(machine_->ops[0], RoundKeys{}, no_key, no_key, kLengths[0], Call::kCtr, avx512,
                &remains);  // the loader's work
  constexpr std::size_t kCallCount = std::size(kCalls);
  for (std::size_t at = 0; at < kCallCount * kCipherCount * std::size(kLengths); ++at) {
    const Call call = kCalls[at % kCallCount];
    const std::size_t c = at / kCallCount % kCipherCount;
    const std::size_t length = kLengths[at / kCallCount / kCipherCount];
    SCOPED_TRACE(std::string(cipher_spec(c).name) + ", " + std::to_string(length) + " bytes, " +
                 kCallNames[at % kCallCount]);
    for (key_byte = 0; key_byte < 2; key_byte = static_cast<std::uint8_t>(key_byte + 1)) {
      const std::uint8_t key[kMaxKeyBytes] = {key_byte, 2, 3, 4};
      RoundKeys keys{};
      cipher_spec(c).expand(key, &keys);
      const std::uint8_t counter[kMaxBlockBytes] = {5, 6, 7, key_byte, 8};
      call_and_look(machine_->ops[c], keys, key, counter, length, call, avx512, &remains);
      if (key_byte == 0) std::memcpy(first_stack, remains.stack, kStack);
      for (std::size_t r = 0; simd && r < (avx512 ? 32 : 16); ++r) {
        for (const std::uint8_t byte : remains.registers.bytes[r]) {
          ASSERT_EQ(byte, 0) << "register " << r;
        }
      }
    }
    std::size_t differ = 0;
    for (std::size_t i = 0; i < kStack; ++i) differ += first_stack[i] != remains.stack[i] ? 1 : 0;
    EXPECT_EQ(differ, 0U) << "bytes of stack";
  }
}

std::vector<const char*> machines() {
  std::vector<const char*> names;
  const MachineList machines = cpu_machines();
  for (std::size_t i = 0; i < machines.count; ++i) names.push_back(machines.first[i]->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Machines, Wipe, testing::ValuesIn(machines()));

}  // namespace
}  // namespace gpuctr
