// The AVR port in the simulator against the provider: single blocks, messages in any pieces, in
// place or not, with any counter and any width of it, CMAC, CCM, and sequences of generator calls.
// What the port must refuse it refuses, and then nothing has changed. In every call the harness
// checks the calling convention and the canaries around each buffer.
#include <cstring>
#include <stdexcept>

#include "device.h"
#include "fuzz/input.h"
#include "peer.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::fuzz {
namespace {

using avr::Device;
using avr::DeviceDrbg;
using avr::Variant;

// libFuzzer cannot instrument the port; its jumps, counted, show it which branches are new.
__attribute__((section("__libfuzzer_extra_counters")))
std::uint8_t g_jumps[avr::Machine::kFlashWords];

Device& device() {
  static Device* const one = [] {  // stays: libsimavr frees little of what it allocates
    avr::peer_use(OSSL_provider_init);
    Device* const made = new Device;
    made->machine().count_jumps(g_jumps);
    return made;
  }();
  one->free_all();
  return *one;
}

Bytes slice(const Bytes& bytes, std::size_t from, std::size_t n) {
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(at, at + static_cast<std::ptrdiff_t>(n));
}

// Two messages under one key, in any pieces; sometimes a length of the tag that there is not.
void cmac(Input& in, Device& port, const Variant& variant, const avr::DeviceKey& schedule,
          const Bytes& key) {
  const std::size_t block = schedule.spec().block;
  avr::DeviceCmac ours(port, schedule);
  for (int message = 0; message < 2; ++message) {
    const Bytes data = in.filler(in.length(block, 160));
    for (std::size_t done = 0; done < data.size();) {
      const std::size_t left = data.size() - done;
      const std::size_t n = in.more() ? in.upto(left) : left;
      ours.update(slice(data, done, n));
      done += n;
    }
    const std::size_t wrong = in.flag() ? 0 : block + 1 + in.upto(8);
    require(!ours.final(wrong) && ours.status() == avr::kErrLength, "the length of the tag");
    const std::size_t tag = 1 + in.upto(block - 1);
    require(ours.final(tag) == slice(avr::peer_cmac(variant.name, key, data), 0, tag),
            "the tag is the provider's");
  }
}

// Sealed as by the provider and opened again, unless an argument is refused; and forged.
void ccm(Input& in, Device& port, const Variant& variant, const avr::DeviceKey& schedule,
         const Bytes& key) {
  // Seldom of a length that is refused.
  const bool odd = in.upto(7) == 0;
  const std::size_t nonce = odd ? in.upto(20) : 7 + in.upto(6);
  const std::size_t tag = odd ? in.upto(20) : 4 + 2 * in.upto(6);
  avr::DeviceCcm ours(port, schedule);
  avr::DeviceCcm::Message message = {
      in.bytes(nonce), in.filler(in.length(16, 100)), in.filler(in.length(16, 160)), {}};
  const Bytes aad = *message.aad;
  if (aad.empty() && in.flag()) message.aad = std::nullopt;
  const unsigned expected = schedule.spec().block != 16           ? avr::kErrCipher
                            : nonce < 7 || nonce > 13             ? avr::kErrNonce
                            : tag < 4 || tag > 16 || tag % 2 != 0 ? avr::kErrLength
                                                                  : avr::kOk;
  const auto sealed = ours.seal(message, tag, in.flag());
  require(ours.status() == expected, "the arguments of CCM");
  if (!sealed) return;
  Bytes both = sealed->text;
  both.insert(both.end(), sealed->tag.begin(), sealed->tag.end());
  require(both == avr::peer_ccm_seal(variant.name, key, message.nonce, aad, message.text, tag),
          "the sealed message is the provider's");
  require(ours.open(*sealed, in.flag()) == message.text, "the sealed message opens");
  avr::DeviceCcm::Message forged = *sealed;
  Bytes& changed = in.flag() || forged.text.empty() ? forged.tag : forged.text;
  changed[in.upto(changed.size() - 1)] ^= static_cast<std::uint8_t>(1 << in.upto(7));
  require(!ours.open(forged, in.flag()) && ours.status() == avr::kErrTag, "a forgery is refused");
}

// One message, or a width that there is not.
void message(Input& in, const Variant& variant) {
  Device& port = device();
  const avr::Spec spec = avr::read_spec(port, variant);
  const Bytes key = variant.fixed ? avr::fixed_key() : in.bytes(spec.key);
  const Bytes iv = in.counter(spec.block);
  const bool whole = in.flag();
  const std::size_t width = whole ? spec.block : in.upto(spec.block + 2);
  avr::DeviceKey schedule(port, variant, key);
  avr::DeviceCtr ctr = whole ? avr::DeviceCtr(port, schedule, iv)
                             : avr::DeviceCtr(port, schedule, iv, static_cast<std::uint8_t>(width));
  const bool legal = width >= 2 && width <= spec.block;
  require(ctr.status() == (legal ? avr::kOk : avr::kErrLength), "the width of the counter");
  if (!legal) return;
  // Up to a few hundred blocks, seldom, as the simulator takes its time.
  const Bytes data = in.filler(in.length(2 * spec.block, in.upto(15) == 0 ? 900 : 160));
  const unsigned bits = whole ? 0 : static_cast<unsigned>(8 * width);
  const Bytes expected = avr::peer_ctr(variant.name, key, iv, data, bits);
  for (std::size_t done = 0; done < data.size();) {
    const std::size_t left = data.size() - done;
    const std::size_t n = in.more() ? in.upto(left) : left;
    const auto out = ctr.crypt(slice(data, done, n), in.flag());
    require(out && *out == slice(expected, done, n), "the message is the provider's");
    done += n;
  }
  const Bytes block = in.bytes(spec.block);
  require(schedule.encrypt(block) == avr::peer_ecb(variant.name, key, block),
          "the block is the provider's");
  ctr.done();
  const Bytes left = port.get(ctr.address(), avr::kCtrSize);
  require(slice(left, 4, left.size() - 4) == Bytes(left.size() - 4), "the message is wiped");
  if (in.more()) cmac(in, port, variant, schedule, key);
  if (in.more()) ccm(in, port, variant, schedule, key);
}

// Generator calls on both sides. The provider's is left alone where the port must refuse.
class Generator {
 public:
  Generator(Input& in, const Variant& variant)
      : ours_(device(), variant),
        key_(ours_.spec().key),
        seed_(key_ + ours_.spec().block),
        use_df_(in.upto(3) != 0),
        theirs_(variant.name, use_df_) {}

  void step(Input& in) {
    if (!ready_) return instantiate(in);
    switch (in.upto(4)) {
      case 0:
        return reseed(in);
      case 1:
        interval_ = 1 + in.upto(3);
        return ours_.set_interval(static_cast<std::uint32_t>(interval_));
      default:
        return generate(in);
    }
  }

 private:
  using Maybe = DeviceDrbg::Input;

  // Seldom of a length that is refused.
  Bytes entropy(Input& in) const {
    const bool odd = in.upto(7) == 0;
    if (use_df_) return in.bytes(odd ? in.upto(key_ - 1) : key_ + in.upto(40));
    return in.bytes(odd ? seed_ - 1 + 2 * in.upto(1) : seed_);
  }
  Bytes text(Input& in) const {
    if (in.flag()) return {};
    return in.bytes(in.upto(use_df_ ? 90 : seed_ + (in.upto(7) == 0 ? 1 : 0)));
  }
  // Nothing may go as no pointer or as no bytes.
  static Maybe pass(Input& in, const Bytes& bytes) {
    if (bytes.empty() && in.flag()) return std::nullopt;
    return bytes;
  }
  bool long_enough(const Bytes& e) const { return use_df_ ? e.size() >= key_ : e.size() == seed_; }
  bool short_enough(const Bytes& b) const { return use_df_ || b.size() <= seed_; }

  void instantiate(Input& in) {
    const Bytes e = entropy(in), p = text(in);
    const Bytes n = use_df_ ? in.bytes(key_ / 2 + in.upto(20)) : Bytes();
    const bool legal = long_enough(e) && short_enough(p);
    require(ours_.instantiate(e, pass(in, n), pass(in, p), use_df_) == legal, "instantiate");
    if (!legal) return refused();
    theirs_.instantiate(e, n, p);
    ready_ = true;
  }

  void reseed(Input& in) {
    const Bytes e = entropy(in), a = text(in);
    const bool legal = long_enough(e) && short_enough(a);
    require(ours_.reseed(e, pass(in, a)) == legal, "reseed");
    if (!legal) return refused();
    theirs_.reseed(e, a);
    served_ = 0;
  }

  void generate(Input& in) {
    const bool fresh = in.upto(3) == 0;
    const Bytes e = fresh ? entropy(in) : Bytes(), a = text(in);
    // libcrypto does not pass a request for no bytes on.
    std::size_t n = 1 + in.upto(in.upto(7) == 0 ? 400 : 60);
    const bool too_much = ours_.spec().block == 8 && in.upto(31) == 0;
    if (too_much) n = 1025;
    const bool served = fresh || interval_ == 0 || served_ < interval_;
    const bool legal = !too_much && served && (!fresh || long_enough(e)) && short_enough(a);
    const auto out = ours_.generate(n, fresh ? Maybe(e) : std::nullopt, pass(in, a));
    require(out.has_value() == legal, "generate");
    if (!legal) return refused();
    require(out == (fresh ? theirs_.generate_fresh(n, e, a) : theirs_.generate(n, a)),
            "the output is the provider's");
    served_ = fresh ? 1 : served_ + 1;
  }

  void refused() { require(ours_.status() != avr::kOk, "a refusal says why"); }

  DeviceDrbg ours_;
  const std::size_t key_, seed_;
  const bool use_df_;
  avr::PeerDrbg theirs_;
  bool ready_ = false;
  std::uint64_t served_ = 0;
  std::uint64_t interval_ = 0;  // 0: none set
};

}  // namespace
}  // namespace gpuctr::fuzz

// What the harness or the provider finds wrong comes as an exception, which libFuzzer reports.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  fuzz::Input in(data, size);
  const avr::Variant& variant = avr::kVariants[in.upto(std::size(avr::kVariants) - 1)];
  if (variant.fixed || in.flag()) {
    fuzz::message(in, variant);
    return 0;
  }
  fuzz::Generator generator(in, variant);
  for (int steps = 0; in.more() && steps < 10; ++steps) generator.step(in);
  return 0;
}
