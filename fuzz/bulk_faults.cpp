// The bulk engine over the fake device, with calls that fail where the fuzzer says: large jobs,
// streams with read-ahead, batches, device memory, mixed memory, and large requests to a generator.
// Whatever fails, the bytes are scalar's or the call is refused and the output is as if it had not
// been made. Sometimes there is no device but a pool of threads, or a device to be measured first.
#include <algorithm>
#include <memory>

#include "drbg/ctr_drbg.h"
#include "fuzz/input.h"
#include "kernels/base/counter.h"
#include "kernels/bulk/engine.h"
#include "kernels/cpu/backend.h"
#include "test/fake_gpu/fake_gpu.h"

namespace gpuctr::fuzz {
namespace {

using test::Call;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kMost = 400 * kKiB;  // of a job, where no pool waits for larger ones

class World {
 public:
  World(Input& in) : spec_(in.cipher()) {
    test::FakeOptions options;
    options.devices = static_cast<int>(1 + in.upto(2));
    faulty_ = in.upto(7) == 0;
    if (faulty_) options.pinned_limit = 8 * kKiB;  // less than a slot
    EngineConfig config;
    config.layer = layer_ = test::fake_gpu(options);
    config.gpu = in.upto(3) == 0 ? GpuUse::kRequire : GpuUse::kAuto;
    config.gpu_pointers = GpuPointers::kYes;
    config.gpu_threshold = 64 * kKiB;
    config.threads = 1;  // a pool's threads never end
    config.ring_bytes = 256 * kKiB;
    config.slot_bytes = 16 * kKiB;
    config.read_ahead = 32 * kKiB;
    if (in.upto(3) == 0) config.read_ahead = 16 * kKiB;
    config.note = [](void* notes, const char*) { ++*static_cast<unsigned*>(notes); };
    config.note_argument = &notes_;
    if (in.upto(7) == 0) {  // the pool of an engine without a device is every such engine's
      config.gpu = GpuUse::kOff;
      config.threads = 3;
    } else if (in.upto(15) == 0) {
      config.gpu_threshold = 0;
      config.slot_bytes = 0;
    }
    most_ = config.threads > 1 ? 2 * kMiB : kMost;
    required_ = config.gpu == GpuUse::kRequire;
    engine_ = std::make_unique<Engine>(config);
    stream_ = std::make_unique<BulkStream>(engine_.get());
    const Bytes key = in.bytes(spec_.key_bytes);
    spec_.expand(key.data(), &keys_);
    next_ = in.counter(spec_.block_bytes);
    if (in.flag()) fault(in);
    engine_->warm_up(spec_);
  }
  ~World() {
    // A measurement in the background, which begins where the first start failed, needs the device.
    engine_->warm_up(spec_);
    stream_.reset();
    engine_.reset();
    test::fake_retire();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step(Input& in) {
    switch (in.upto(8)) {
      case 0:
        return fault(in);
      case 1:
        return batch(in);
      case 2:
        return device(in);
      case 3:
        return updates(in);
      case 4:
        next_ = in.counter(spec_.block_bytes);
        return;
      case 5:
        return generator(in);
      case 6:
        return device_batch(in);
      default:
        return job(in);
    }
  }

 private:
  void fault(Input& in) {
    constexpr DeviceStatus kStatuses[] = {DeviceStatus::kOutOfMemory, DeviceStatus::kLaunch,
                                          DeviceStatus::kDeviceLost,  DeviceStatus::kOther,
                                          DeviceStatus::kUnsupported, DeviceStatus::kCapture};
    const auto call = static_cast<Call>(in.upto(static_cast<std::size_t>(Call::kCount) - 1));
    const auto nth = static_cast<unsigned>(1 + in.upto(9));
    const DeviceStatus status = kStatuses[in.upto(5)];
    test::fake_fail(call, nth, status, in.flag() ? 1 : 1000);
    faulty_ = true;
  }

  Bytes expect(const Bytes& counter, const Bytes& data) const {
    Bytes out(data.size());
    best_backend().ops[spec_.index].ctr(keys_, counter.data(), data.data(), out.data(),
                                        data.size());
    return out;
  }

  // From `skip` bytes into the first block on.
  Bytes expect_from(std::size_t skip, const Bytes& data) const {
    Bytes padded(skip);
    padded.insert(padded.end(), data.begin(), data.end());
    padded = expect(next_, padded);
    padded.erase(padded.begin(), padded.begin() + static_cast<std::ptrdiff_t>(skip));
    return padded;
  }

  void accept(BulkStatus status, const Bytes& out, const Bytes& expected, const Bytes& untouched) {
    if (status == BulkStatus::kOk) {
      require(out == expected, "the bytes are scalar's");
      return;
    }
    require(required_, "only gpu = require may refuse");
    const BulkStats stats = engine_->stats();
    require(faulty_ || stats.last_status != DeviceStatus::kOk, "and only for a reason");
    require(notes_ == 1 && stats.fallbacks != 0, "which is told once");
    require(device_status_text(stats.last_status)[0] != '\0' && stats.last_where[0] != '\0',
            "and how");
    require(out == untouched, "a refused job leaves no half");
  }

  void job(Input& in) {
    const Bytes data = in.filler(in.length(16 * kKiB, most_));
    if (data.empty()) return;
    if (in.upto(3) == 0) return part(in, data);
    Bytes out = data;
    const BulkStatus status =
        engine_->ctr(spec_, keys_, next_.data(), out.data(), out.data(), out.size());
    accept(status, out, expect(next_, data), data);
  }

  // From the middle of a block, by the engine or its stream.
  void part(Input& in, const Bytes& data) {
    const std::size_t skip = in.upto(spec_.block_bytes - 1);
    Bytes out = data;
    const BulkStatus status =
        in.flag()
            ? engine_->ctr_at(spec_, keys_, next_.data(), skip, out.data(), out.data(), out.size())
            : stream_->ctr_at(spec_, keys_, next_.data(), skip, out.data(), out.data(), out.size());
    accept(status, out, expect_from(skip, data), data);
  }

  // Small updates in sequence, past the point where reading ahead starts.
  void updates(Input& in) {
    const std::size_t piece = spec_.block_bytes * (100 + in.upto(600));
    const std::size_t total = in.upto(3) == 0 ? 1300 * kKiB : 40 * kKiB;
    Bytes data(piece);
    for (std::size_t done = 0; done < total; done += piece) {
      Bytes out = data;
      const BulkStatus status =
          stream_->ctr(spec_, keys_, next_.data(), out.data(), out.data(), piece);
      accept(status, out, expect(next_, data), data);
      counter_add(next_.data(), next_.size(), piece / spec_.block_bytes);
    }
    if (in.flag()) stream_->reset();
  }

  void batch(Input& in) {
    const std::size_t count = 1 + in.upto(40);
    std::vector<BulkSegment> segments(count);
    std::vector<Bytes> data(count), out(count);
    for (std::size_t i = 0; i < count; ++i) {
      data[i] = in.filler(in.length(1024, 20 * kKiB));
      out[i] = data[i];
      segments[i] = {&keys_, {}, out[i].data(), out[i].data(), out[i].size()};
      std::copy(next_.begin(), next_.end(), segments[i].counter);
      counter_add(segments[i].counter, next_.size(), i << 20);
    }
    const BulkStatus status = engine_->ctr_batch(spec_, segments.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const Bytes counter(segments[i].counter, segments[i].counter + next_.size());
      accept(status, out[i], expect(counter, data[i]), data[i]);
    }
  }

  // Output on a device, input there or here, from the middle of a block. After a failure the
  // device's memory is undefined.
  void device(Input& in) {
    const Bytes data = in.filler(in.length(4 * kKiB, 100 * kKiB));
    if (data.empty() || engine_->config().gpu == GpuUse::kOff) return;
    const std::size_t skip = in.upto(spec_.block_bytes - 1);
    void* memory = nullptr;
    if (layer_->device_alloc(0, data.size() + 16, &memory) != DeviceStatus::kOk) return;
    std::uint8_t* const at = static_cast<std::uint8_t*>(memory) + in.upto(15);
    std::uint8_t* const shadow = test::fake_shadow(at);
    std::copy(data.begin(), data.end(), shadow);
    const std::uint8_t* const from = in.flag() ? at : data.data();
    const BulkStatus status =
        engine_->ctr_at(spec_, keys_, next_.data(), skip, from, at, data.size());
    if (status == BulkStatus::kOk) {
      const Bytes expected = expect_from(skip, data);
      require(std::equal(expected.begin(), expected.end(), shadow),
              "the bytes on the device are scalar's");
    } else {
      require(faulty_, "device memory is served unless something fails");
    }
    layer_->device_free(0, memory);
  }

  // Several pieces of one allocation on a device.
  void device_batch(Input& in) {
    const std::size_t count = 1 + in.upto(20), room = 8 * kKiB;
    const bool keystream = in.flag();
    void* memory = nullptr;
    if (layer_->device_alloc(0, count * room, &memory) != DeviceStatus::kOk) return;
    auto* const start = static_cast<std::uint8_t*>(memory);
    std::vector<BulkSegment> segments(count);
    std::vector<Bytes> data(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t* const at = start + i * room;
      data[i] = in.filler(in.length(1024, room));
      std::copy(data[i].begin(), data[i].end(), test::fake_shadow(at));
      segments[i] = {&keys_, {}, keystream ? nullptr : at, at, data[i].size()};
      std::copy(next_.begin(), next_.end(), segments[i].counter);
      counter_add(segments[i].counter, next_.size(), i << 20);
      if (keystream) std::fill(data[i].begin(), data[i].end(), std::uint8_t{0});
    }
    if (!engine_->is_device(start)) return layer_->device_free(0, memory);  // no device in use
    if (engine_->ctr_batch(spec_, segments.data(), count) == BulkStatus::kOk) {
      for (std::size_t i = 0; i < count; ++i) {
        const Bytes counter(segments[i].counter, segments[i].counter + next_.size());
        const Bytes expected = expect(counter, data[i]);
        require(std::equal(expected.begin(), expected.end(), test::fake_shadow(segments[i].out)),
                "each piece on the device is scalar's");
      }
    } else {
      require(faulty_, "a batch on a device is served unless something fails");
    }
    layer_->device_free(0, memory);
  }

  // One large generate call, which is many requests of SP 800-90A and runs as one job. A second
  // generator, which uses no threads and no device, gets the same requests one by one.
  void generator(Input& in) {
    const drbg::Mechanism bulk_mechanism(spec_, engine_.get()), alone_mechanism(spec_, plain());
    drbg::CtrDrbg ours(bulk_mechanism, true), theirs(alone_mechanism, true);
    const Bytes entropy = in.bytes(48), additional = in.bytes(in.flag() ? in.upto(40) : 0);
    const drbg::ByteView seed{entropy.data(), 32}, nonce{entropy.data() + 32, 16};
    const drbg::ByteView more{additional.data(), additional.size()};
    require(ours.instantiate(seed, nonce, {}) == drbg::Status::kOk, "instantiate");
    require(theirs.instantiate(seed, nonce, {}) == drbg::Status::kOk, "instantiate");
    const std::size_t legal = bulk_mechanism.max_request;
    for (int calls = 0; calls < 2; ++calls) {
      const std::size_t n = in.length(std::min<std::size_t>(legal, 16 * kKiB), most_);
      Bytes out(n + 1, 0x5a), expected(n);
      const drbg::Status status = ours.generate(out.data(), n, more);
      require(out[n] == 0x5a, "nothing is written past the end");
      if (status == drbg::Status::kOutputFailed) {
        require(required_ && ours.state() == drbg::State::kError, "only gpu = require may fail");
        require(ours.generate(out.data(), 1, {}) == drbg::Status::kInErrorState, "and it stays so");
        return;
      }
      require(status == drbg::Status::kOk, "generate");
      for (std::size_t done = 0; done < n || done == 0; done += legal) {
        const std::size_t take = std::min(legal, n - done);
        require(theirs.generate(expected.data() + done, take, more) == drbg::Status::kOk, "alone");
      }
      out.resize(n);
      require(out == expected, "the output is that of the requests one by one");
      require(ours.reseed_counter() == theirs.reseed_counter(), "each of them is counted");
    }
  }
  static Engine* plain() {
    static Engine* const engine = [] {
      EngineConfig config;
      config.gpu = GpuUse::kOff;
      config.threads = 1;
      return new Engine(config);
    }();
    return engine;
  }

  const CipherSpec& spec_;
  RoundKeys keys_;
  Bytes next_;
  std::size_t most_ = kMost;
  unsigned notes_ = 0;
  const DeviceLayer* layer_;
  bool required_ = false;
  bool faulty_ = false;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<BulkStream> stream_;
};

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gpuctr::fuzz::Input in(data, size);
  gpuctr::fuzz::World world(in);
  for (int steps = 0; in.more() && steps < 12; ++steps) world.step(in);
  return 0;
}
