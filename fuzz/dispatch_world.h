// Where a target that calls the dispatch tables works: a loaded provider, perhaps with the fake
// device behind it, parameters of any kind, and memory of any kind.
#ifndef GPUCTR_FUZZ_DISPATCH_WORLD_H
#define GPUCTR_FUZZ_DISPATCH_WORLD_H

#include <algorithm>

#include "fuzz/core.h"
#include "test/fake_gpu/fake_gpu.h"

namespace gpuctr {

// The linker's --wrap sends every call of cuda_layer() here.
inline const DeviceLayer* g_layer = nullptr;

namespace fuzz {

constexpr std::size_t kMostOnDevice = 100 * 1024;

// The provider with a section that the fuzzer chose, and perhaps a device.
class World {
 public:
  explicit World(Input& in)
      : device(in.upto(3) == 0), device_memory(device && in.flag()), core_(section(in)) {
    faulty = device && in.upto(2) == 0;
    if (faulty) fault(in);
    if (device) core_.engine().warm_up(in.cipher());
  }
  ~World() {
    if (memory_ != nullptr) g_layer->device_free(0, memory_);
  }

  void fault(Input& in) {
    constexpr DeviceStatus kStatuses[] = {DeviceStatus::kOutOfMemory, DeviceStatus::kLaunch,
                                          DeviceStatus::kDeviceLost, DeviceStatus::kOther,
                                          DeviceStatus::kCapture};
    const auto call =
        static_cast<test::Call>(in.upto(static_cast<std::size_t>(test::Call::kCount) - 1));
    const auto nth = static_cast<unsigned>(1 + in.upto(9));
    test::fake_fail(call, nth, kStatuses[in.upto(4)], in.flag() ? 1 : 1000);
    faulty = true;
  }

  Core& core() { return core_; }

  // At least n bytes on the device, or nullptr.
  std::uint8_t* on_device(std::size_t n) {
    require(n <= kRoom, "the device's memory is large enough");
    if (device_memory && memory_ == nullptr &&
        g_layer->device_alloc(0, kRoom, &memory_) != DeviceStatus::kOk) {
      memory_ = nullptr;
    }
    return static_cast<std::uint8_t*>(memory_);
  }

  const bool device;
  const bool device_memory;
  bool required = false;
  bool faulty = false;
  std::uint64_t max_bytes = 0;

 private:
  static constexpr std::size_t kRoom = kMostOnDevice + 64 * kMaxBlockBytes;

  Core::Section section(Input& in) {
    if (device) {
      test::FakeOptions options;
      options.devices = static_cast<int>(1 + in.upto(1));
      g_layer = test::fake_gpu(options);
    } else {
      g_layer = nullptr;
    }
    Core::Section s = {{"threads", "1"}, {"gpu-threshold", "32K"}, {"pinned-memory", "1M"}};
    s["gpu-pointers"] = device_memory ? "yes" : "no";
    required = in.upto(3) == 0;
    s["gpu"] = required ? "require" : "auto";
    s["read-ahead"] = in.flag() ? "off" : "64K";
    if (in.upto(3) == 0) {
      max_bytes = 5000;
      s["max-bytes"] = "5000";
    }
    const BackendList backends = cpu_backends();
    const Backend& backend = *backends.first[in.upto(backends.count - 1)];
    if (backend.available()) s["cpu"] = backend.name;
    return s;
  }

  Core core_;
  void* memory_ = nullptr;
};

// A parameter of any type and size that says `value`, or cannot.
struct Setting {
  Setting(Input& in, const char* key, std::uint64_t wanted) : value(wanted) {
    constexpr std::size_t kSizes[] = {8, 4, 2, 1, 3};
    const std::size_t size = kSizes[in.upto(7) % 5];
    constexpr unsigned kTypes[] = {OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_INTEGER,
                                   OSSL_PARAM_UTF8_STRING};
    const unsigned type = kTypes[in.upto(9) % 3];
    std::memcpy(data, &value, sizeof data);
    if (size < 8) value &= (std::uint64_t{1} << 8 * size) - 1;
    legal = type != OSSL_PARAM_UTF8_STRING &&
            (type == OSSL_PARAM_UNSIGNED_INTEGER || value >> (8 * size - 1) == 0);
    params[0] = {key, type, data, size, OSSL_PARAM_UNMODIFIED};
    params[1] = kParamEnd;
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  std::uint64_t value;
  bool legal;
  std::uint8_t data[8];
  OSSL_PARAM params[2];
};

// Where the bytes of one message lie: in place, apart, overlapping, on a device.
class Place {
 public:
  enum Kind { kInPlace, kApart, kOverlap, kDeviceInPlace, kFromDevice, kToDevice };

  // `at`: where in the device's memory.
  Place(World* world, Kind kind, const Bytes& data, std::size_t at) : kind_(kind), data_(data) {
    const std::size_t n = data.size();
    if (kind_ == kOverlap && n < 2) kind_ = kInPlace;
    std::uint8_t* device = nullptr;
    if (kind_ >= kDeviceInPlace) {
      device = world->on_device(at + n);
      if (device == nullptr) kind_ = kApart;
    }
    host_ = data;
    host_.resize(2 * n + 1, 0x5a);
    in_ = host_.data();
    out_ = kind_ == kInPlace ? in_ : kind_ == kOverlap ? in_ + 1 + n / 3 : in_ + n;
    if (kind_ >= kDeviceInPlace) {
      device += at;
      std::copy(data.begin(), data.end(), test::fake_shadow(device));
      if (kind_ != kToDevice) in_ = device;
      if (kind_ != kFromDevice) out_ = device;
    }
    before_ = host_;
  }

  const std::uint8_t* in() const { return in_; }
  std::uint8_t* out() const { return out_; }
  bool overlaps() const { return kind_ == kOverlap; }
  bool uses_device() const { return kind_ >= kDeviceInPlace; }

  void check(const Bytes& expected) const {
    const std::uint8_t* const from = out_on_device() ? test::fake_shadow(out_) : out_;
    require(std::equal(expected.begin(), expected.end(), from), "the bytes are the model's");
    require(out_on_device() || host_.back() == 0x5a, "nothing is written past the end");
  }
  // After a refusal; `failed`: because a device failed.
  void check_untouched(bool failed) const {
    if (!failed || kind_ == kInPlace) {
      require(host_ == before_, "a refused call writes nothing");
      return;
    }
    // What a job had written already goes: to zero where that is not the input's place.
    const std::size_t n = data_.size();
    for (std::size_t i = 0; i < host_.size(); ++i) {
      const bool output = !out_on_device() && i >= n && i < 2 * n;
      require(host_[i] == before_[i] || (output && (host_[i] == 0 || uses_device())),
              "a failed call leaves no keystream");
    }
  }

 private:
  bool out_on_device() const { return kind_ == kDeviceInPlace || kind_ == kToDevice; }

  Kind kind_;
  const Bytes data_;
  Bytes host_, before_;
  std::uint8_t* in_;
  std::uint8_t* out_;
};

}  // namespace fuzz
}  // namespace gpuctr

#endif
