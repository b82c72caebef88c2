// One large generate as one job of the bulk engine.
//
// A request's next (Key, V) depends on Key, V, the request's length and the additional input, never
// on the output. So the chain of states is worked out first, a few block encryptions a request, and
// the bodies then expand side by side. The bytes are those of the sequential algorithm.
#include <algorithm>
#include <memory>
#include <new>

#include "drbg/ctr_drbg.h"
#include "kernels/wipe.h"

namespace gpuctr::drbg {
namespace {

// Output of one job, as far as it takes no more than kMostRequests.
constexpr std::size_t kWindowBytes = std::size_t{64} << 20;
constexpr std::size_t kMostRequests = 8192;

// The states of one job. Wiped after each.
class Window {
 public:
  Window(std::size_t requests, std::size_t schedule_bytes)
      : keys(new (std::nothrow) RoundKeys[requests + 1]),
        segments(new (std::nothrow) BulkSegment[requests]),
        size(requests),
        schedule_(schedule_bytes) {}
  ~Window() {
    if (allocated()) clear(size);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool allocated() const { return keys != nullptr && segments != nullptr; }
  // After `used` requests: their schedules, and the one that follows.
  void clear(std::size_t used) {
    for (std::size_t i = 0; i <= used; ++i) wipe(&keys[i], schedule_);
    wipe(segments.get(), used * sizeof(BulkSegment));
  }

  const std::unique_ptr<RoundKeys[]> keys;
  const std::unique_ptr<BulkSegment[]> segments;
  const std::size_t size;

 private:
  std::size_t schedule_;
};

}  // namespace

// kNoMemory: nothing was done.
CtrDrbg::Bulk CtrDrbg::bulk(std::uint8_t* out, std::size_t n, Provided additional) {
  const std::uint64_t most = std::min(kMostRequests, kWindowBytes / m_.max_request);
  Window window(static_cast<std::size_t>(std::min(most, requests_for(n))),
                m_.cipher.schedule_bytes());
  if (!window.allocated()) return Bulk::kNoMemory;
  while (n != 0) {
    std::size_t used = 0;
    window.keys[0] = keys_;
    for (; used != window.size && n != 0; ++used) {
      RoundKeys& keys = window.keys[used];
      const std::size_t take = std::min(n, m_.max_request);
      if (additional != nullptr) update(keys, additional, &keys);
      window.segments[used] = begin_output(keys, out, take);
      update(keys, additional, &window.keys[used + 1]);
      out += take;
      n -= take;
    }
    keys_ = window.keys[used];
    const bool written = m_.cipher.output(window.segments.get(), used);
    window.clear(used);
    if (!written) return Bulk::kFailed;
    reseed_counter_ += used;
  }
  return Bulk::kDone;
}

}  // namespace gpuctr::drbg
