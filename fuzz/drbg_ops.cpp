// Sequences of CTR_DRBG operations against a second model that shares no code with drbg/: the
// output, the counters, and the answer to every request that must be refused.
#include <algorithm>
#include <memory>
#include <optional>

#include "drbg/ctr_drbg.h"
#include "fuzz/input.h"
#include "fuzz/scalar.h"
#include "test/drbg/model.h"

namespace gpuctr::fuzz {
namespace {

using drbg::Status;

// The model runs on scalar code, the DRBG on this CPU's best backend.
Engine* best_engine() {
  static Engine engine{EngineConfig{}};
  return &engine;
}

class Pair {
 public:
  Pair(const CipherSpec& spec, bool use_df)
      : mechanism_(spec, best_engine()),
        scalar_mechanism_(spec, scalar_engine()),
        drbg_(mechanism_, use_df),
        use_df_(use_df) {}

  void step(Input& in) {
    switch (in.upto(5)) {
      case 0:
        instantiate(in);
        break;
      case 1:
        reseed(in);
        break;
      case 2:
      case 3:
        generate(in);
        break;
      case 4:
        uninstantiate();
        break;
      default:
        limit(in);
        break;
    }
  }

 private:
  static drbg::ByteView view(const Bytes& b) { return {b.data(), b.size()}; }
  std::size_t seedlen() const { return mechanism_.seed; }

  // Around the legal lengths, without the derivation function exactly seedlen.
  Bytes entropy(Input& in) const {
    return in.bytes(use_df_ ? in.upto(80) : seedlen() - 1 + in.upto(2));
  }
  Bytes optional_input(Input& in) const { return in.bytes(in.flag() ? in.upto(seedlen() + 1) : 0); }

  Status entropy_status(const Bytes& e) const {
    if (e.size() < (use_df_ ? mechanism_.key : seedlen())) {
      return Status::kEntropyTooShort;
    }
    return !use_df_ && e.size() > seedlen() ? Status::kEntropyTooLong : Status::kOk;
  }
  bool too_long(const Bytes& b) const { return !use_df_ && b.size() > seedlen(); }

  void instantiate(Input& in) {
    const Bytes e = entropy(in), nonce = in.bytes(in.upto(40)), person = optional_input(in);
    Status expected = entropy_status(e);
    if (expected == Status::kOk && too_long(person)) expected = Status::kPersonalizationTooLong;
    if (expected == Status::kOk && use_df_ && nonce.size() < mechanism_.key / 2) {
      expected = Status::kNonceTooShort;
    }
    if (model_) expected = Status::kAlreadyInstantiated;
    require(drbg_.instantiate(view(e), view(nonce), view(person)) == expected, "instantiate");
    if (expected != Status::kOk) return;
    model_.emplace(scalar_mechanism_, use_df_);
    model_->instantiate(e, nonce, person);
    served_ = 0;
  }

  void reseed(Input& in) {
    const Bytes e = entropy(in), additional = optional_input(in);
    Status expected = entropy_status(e);
    if (expected == Status::kOk && too_long(additional)) expected = Status::kAdditionalInputTooLong;
    if (!model_) expected = Status::kNotInstantiated;
    require(drbg_.reseed(view(e), view(additional)) == expected, "reseed");
    if (expected != Status::kOk) return;
    model_->reseed(e, additional);
    served_ = 0;
  }

  void generate(Input& in) {
    const Bytes additional = optional_input(in);
    const std::size_t legal = mechanism_.block == 8 ? 1024 : 65536;
    std::size_t n = in.length(16, 600);
    if (in.upto(15) == 0) n = legal * in.upto(2) + in.upto(3);  // several requests in one call
    const std::uint64_t requests = n == 0 ? 1 : (n + legal - 1) / legal;
    Status expected = Status::kOk;
    if (served_ + requests > interval_) expected = Status::kReseedRequired;
    if (too_long(additional)) expected = Status::kAdditionalInputTooLong;
    if (!model_) expected = Status::kNotInstantiated;
    Bytes out(n + 1, 0x5a);
    require(drbg_.generate(out.data(), n, view(additional)) == expected, "generate");
    require(out[n] == 0x5a, "nothing written past the end");
    if (expected != Status::kOk) {
      require(out == Bytes(n + 1, 0x5a), "a refused request writes nothing");
      return;
    }
    Bytes model_out;
    do {
      const std::size_t take = std::min(n - model_out.size(), legal);
      const Bytes part = model_->generate(take, additional);
      model_out.insert(model_out.end(), part.begin(), part.end());
    } while (model_out.size() < n);
    out.resize(n);
    require(out == model_out, "the output is the model's");
    served_ += requests;
    require(drbg_.reseed_counter() == served_ + 1, "each legal request is counted");
  }

  void uninstantiate() {
    drbg_.uninstantiate();
    model_.reset();
    require(drbg_.is_zeroized(), "nothing is left of the state");
  }

  void limit(Input& in) {
    interval_ = 1 + in.upto(6);
    drbg_.set_reseed_interval(interval_);
  }

  drbg::Mechanism mechanism_;
  drbg::Mechanism scalar_mechanism_;
  drbg::CtrDrbg drbg_;
  bool use_df_;
  std::optional<test::ModelDrbg> model_;
  std::uint64_t served_ = 0;
  std::uint64_t interval_ = UINT64_MAX;
};

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  fuzz::Input in(data, size);
  const CipherSpec& spec = in.cipher();
  fuzz::Pair pair(spec, in.flag());
  for (int steps = 0; in.more() && steps < 24; ++steps) pair.step(in);
  return 0;
}
