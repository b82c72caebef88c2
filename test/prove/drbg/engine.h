// For states.cpp, in place of kernels/bulk/engine.h: what CTR_DRBG calls of the bulk engine, over
// one table of functions, on the calling thread.
#ifndef GPUCTR_TEST_PROVE_DRBG_ENGINE_H
#define GPUCTR_TEST_PROVE_DRBG_ENGINE_H

#include "kernels/bulk/base/config.h"
#include "kernels/bulk/base/work.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"

namespace gpuctr {

class Engine {
 public:
  // `shared`: every output is for the engine, as a device's memory is.
  Engine(const CipherOps& ops, bool shared) : ops_(ops), shared_(shared) {}

  const CipherOps& cpu(const CipherSpec&) const { return ops_; }
  const EngineConfig& config() const { return config_; }
  bool is_device(const void*) const { return shared_; }
  bool shares(const void*, std::size_t) const { return shared_; }
  unsigned threads() const { return 1; }
  void count_cpu(std::size_t) {}
  BulkStatus ctr(const CipherSpec&, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    ops_.ctr(keys, counter, in, out, n);
    return fails ? BulkStatus::kGpuRequired : BulkStatus::kOk;
  }
  BulkStatus ctr_batch(const CipherSpec& spec, const BulkSegment* segments, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      RoundKeys keys;
      if (segments[i].keys == nullptr) spec.expand(segments[i].key, &keys);
      ctr(spec, segments[i].keys == nullptr ? keys : *segments[i].keys, segments[i].counter,
          segments[i].in, segments[i].out, segments[i].bytes);
    }
    return fails ? BulkStatus::kGpuRequired : BulkStatus::kOk;
  }

  bool fails = false;

 private:
  const CipherOps& ops_;
  bool shared_;
  EngineConfig config_ = {};
};

}  // namespace gpuctr

#endif
