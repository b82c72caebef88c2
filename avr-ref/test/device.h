// The AVR port as a test sees it: its C functions, called in the simulator.
#ifndef GPUCTR_AVR_TEST_DEVICE_H
#define GPUCTR_AVR_TEST_DEVICE_H

#include <optional>

#include "machine.h"

namespace gpuctr::avr {

// One descriptor of gpuctr_avr.h.
struct Variant {
  const char* symbol;  // without gpuctr_
  const char* name;    // the provider's, without -CTR
  bool fixed;          // the key is in the code
  bool small;
};
inline constexpr Variant kVariants[] = {
    {"hight", "HIGHT", false, false},
    {"lea128", "LEA-128", false, false},
    {"lea192", "LEA-192", false, false},
    {"lea256", "LEA-256", false, false},
    {"cham64_128", "CHAM-64-128", false, false},
    {"cham128_128", "CHAM-128-128", false, false},
    {"cham128_256", "CHAM-128-256", false, false},
    {"hight_small", "HIGHT", false, true},
    {"lea128_small", "LEA-128", false, true},
    {"lea192_small", "LEA-192", false, true},
    {"lea256_small", "LEA-256", false, true},
    {"cham64_128_small", "CHAM-64-128", false, true},
    {"cham128_128_small", "CHAM-128-128", false, true},
    {"cham128_256_small", "CHAM-128-256", false, true},
    {"hight_fixed", "HIGHT", true, false},
    {"lea128_fixed", "LEA-128", true, false},
};

// gpuctr_status
enum Status : std::uint16_t {
  kOk,
  kErrLength,
  kErrCounter,
  kErrState,
  kErrEntropy,
  kErrReseed,
  kErrCipher,
  kErrNonce,
  kErrTag
};

// Memory and calls. Every allocation lies between canaries. call() throws std::runtime_error when
// the function broke the ABI, met the heap, or wrote over a canary.
class Device {
 public:
  Device();

  std::uint16_t alloc(std::size_t size);
  std::uint16_t put(const Bytes& bytes);
  Bytes get(std::uint16_t address, std::size_t size) const { return machine_.read(address, size); }
  void free_all();
  std::size_t mark() const { return canaries_.size(); }
  void free_to(std::size_t mark);  // what was allocated since
  std::size_t room() const;        // the largest alloc() that still succeeds

  std::uint16_t call(const std::string& function, const std::vector<std::uint16_t>& arguments);
  std::uint64_t cycles() const { return cycles_; }  // of the last call
  std::uint16_t stack() const { return stack_; }    // of the last call

  Machine& machine() { return machine_; }

 private:
  void check_canaries(const std::string& function) const;

  Machine machine_;
  std::uint16_t arena_, next_;
  std::vector<std::uint16_t> canaries_;
  std::uint64_t cycles_ = 0;
  std::uint16_t stack_ = 0;
};

// What the descriptor in flash says.
struct Spec {
  std::string name;
  std::size_t block, key, rounds, round_keys;
  std::uint16_t address;  // of the descriptor
  std::uint16_t encrypt_df, drbg_constants;
};
Spec read_spec(Device& device, const Variant& variant);

// The key that the test image has in its code.
Bytes fixed_key();

// A key schedule in the device's memory. A fixed variant has nothing there.
class DeviceKey {
 public:
  DeviceKey(Device& device, const Variant& variant, const Bytes& key);
  const Spec& spec() const { return spec_; }
  std::uint16_t round_keys() const { return round_keys_; }
  Bytes encrypt(const Bytes& block);

 private:
  Device& device_;
  Spec spec_;
  std::uint16_t round_keys_ = 0;
};

class DeviceCtr {
 public:
  DeviceCtr(Device& device, const DeviceKey& key, const Bytes& iv);
  // A field of `width` bytes; look at status().
  DeviceCtr(Device& device, const DeviceKey& key, const Bytes& iv, std::uint8_t width);
  std::uint16_t status() const { return status_; }
  std::uint16_t address() const { return context_; }
  // One call. `in_place`: out = in. nullopt: the call failed, and status() says how.
  std::optional<Bytes> crypt(const Bytes& data, bool in_place = false);
  void done();

 private:
  Device& device_;
  std::uint16_t context_, status_ = kOk;
};

class DeviceCmac {
 public:
  DeviceCmac(Device& device, const DeviceKey& key);
  std::uint16_t address() const { return context_; }
  void update(const Bytes& piece);
  // nullopt: the call failed, and status() says how.
  std::optional<Bytes> final(std::size_t tag_size);
  std::uint16_t status() const { return status_; }
  void done();

 private:
  Device& device_;
  std::uint16_t context_, status_ = kOk;
};

// CCM, a message in one call.
class DeviceCcm {
 public:
  // What is sealed or opened. No associated data goes as NULL. `tag` is what seal returns and what
  // open checks.
  struct Message {
    Bytes nonce;
    std::optional<Bytes> aad;
    Bytes text, tag;
  };
  DeviceCcm(Device& device, const DeviceKey& key) : device_(device), key_(key) {}
  // `in_place`: out = in. nullopt: the call failed, and status() says how.
  std::optional<Message> seal(Message message, std::size_t tag_size, bool in_place = false);
  std::optional<Bytes> open(const Message& message, bool in_place = false);
  std::uint16_t status() const { return status_; }

 private:
  bool call(const char* function, const Message& message, std::size_t tag_size, bool in_place);

  Device& device_;
  const DeviceKey& key_;
  std::uint16_t status_ = kOk;
  Bytes out_, tag_;  // as the last call left them
};

// A generator. Arguments that are nullopt go as NULL. Status of the last call in status().
class DeviceDrbg {
 public:
  using Input = std::optional<Bytes>;
  DeviceDrbg(Device& device, const Variant& variant);
  bool instantiate(const Input& entropy, const Input& nonce, const Input& personalization,
                   bool use_df = true);
  bool reseed(const Input& entropy, const Input& additional);
  std::optional<Bytes> generate(std::size_t size, const Input& fresh_entropy,
                                const Input& additional);
  bool update(const Input& provided);
  void uninstantiate();
  void set_interval(std::uint32_t requests);
  std::uint16_t status() const { return status_; }
  std::uint16_t address() const { return context_; }
  std::uint16_t round_keys() const { return round_keys_; }
  const Spec& spec() const { return spec_; }

 private:
  std::uint16_t input(const Input& bytes);
  bool finish(std::uint16_t status);

  Device& device_;
  Spec spec_;
  std::uint16_t context_, round_keys_, status_ = kOk;
  std::uint16_t buffer_, headers_;  // reused by each call
  std::size_t buffer_size_, used_ = 0, headers_used_ = 0;
};

// sizeof gpuctr_ctr, gpuctr_cmac, gpuctr_drbg
constexpr std::size_t kCtrSize = 84, kCmacSize = 37, kDrbgSize = 61;

}  // namespace gpuctr::avr

#endif
