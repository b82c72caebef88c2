// Routers under random traffic: every port sends to every other, packets of 1 to 9 flits, with
// stalls at both ends. Nothing is lost, nothing comes twice, packets of a flow keep their order and
// their flits, and the network never stands still. Ends with a histogram of latency.
//
//   traffic --width W --height H --packets N --seed S [--waveform FILE] [--show]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "test/mesh/net.h"
#include "test/mesh/options.h"

namespace {

using mesh::Flit;
using mesh::Random;

constexpr unsigned kDepth = 4;
constexpr std::uint64_t kStill = 3000;  // clocks without a flit out that are called a deadlock
enum Pattern : unsigned { kUniform, kHotSpot, kTranspose, kNeighbour, kHosts, kPatterns };

struct Port {
  unsigned x, y;             // where its packets are addressed
  std::deque<Flit> waiting;  // to be sent
  unsigned credits = kDepth;
  unsigned owed = 0;                          // flits taken whose credit has not been given back
  std::vector<std::uint32_t> sent, received;  // packets of each flow, by the other end
  // the packet that is coming in
  unsigned from = 0, at = 0, length = 0;
  std::uint64_t born = 0;
};

// A head carries the address, then who sent it, its number in the flow, and its length; its second
// flit the clock of its birth; the others a mixture of all this.
std::uint64_t head_word(const Port& to, unsigned from, std::uint32_t number, unsigned length) {
  return std::uint64_t{to.x} << 56 | std::uint64_t{to.y} << 52 | std::uint64_t{length} << 48 |
         std::uint64_t{from & 0xff} << 32 | number;
}
std::uint64_t body_word(unsigned from, unsigned to, std::uint32_t number, unsigned at) {
  return Random((std::uint64_t{from} << 48 | std::uint64_t{to} << 40) +
                (std::uint64_t{number} << 8) + at)
      .next();
}

class Traffic {
 public:
  Traffic(unsigned width, unsigned height, std::uint64_t packets, std::uint64_t seed)
      : net_(width, height, 0, seed),
        random_(seed),
        packets_(packets),
        width_(width),
        height_(height) {
    for (unsigned y = 0; y < height; ++y)
      ports_.push_back({0, y, {}, kDepth, 0, {}, {}, 0, 0, 0, 0});
    for (unsigned n = 0; n < width * height; ++n) {
      ports_.push_back({n % width + 1, n / width, {}, kDepth, 0, {}, {}, 0, 0, 0, 0});
    }
    for (Port& port : ports_) {
      port.sent.resize(ports_.size());
      port.received.resize(ports_.size());
    }
  }

  bool run(const std::string& waveform) {
    if (!waveform.empty() && !net_.open_waveform(waveform)) return fail("built without waveforms");
    std::uint64_t last = 0;
    while (arrived_ < packets_) {
      // Phases of 4096 clocks: the pattern, and how often ends stall, change.
      if (net_.clocks() % 4096 == 0) {
        pattern_ = random_.below(kPatterns);
        send_stall_ = random_.below(2) * random_.below(90);
        take_stall_ = random_.below(2) * random_.below(90);
      }
      for (unsigned p = 0; p < ports_.size(); ++p) {
        const std::uint64_t before = flits_;
        if (!receive(p)) return false;
        if (flits_ != before) last = net_.clocks();
        send(p);
      }
      if (net_.clocks() - last > kStill) return deadlock();
      net_.tick();
    }
    for (int i = 0; i < 200; ++i, net_.tick()) {  // no packet that nobody sent
      for (unsigned p = 0; p < ports_.size(); ++p) {
        if (!receive(p)) return false;
      }
    }
    for (const Port& to : ports_) {
      for (unsigned from = 0; from < ports_.size(); ++from) {
        const unsigned self = static_cast<unsigned>(&to - ports_.data());
        if (to.received[from] != ports_[from].sent[self]) return fail("a flow lost packets");
      }
    }
    return true;
  }

  void report(bool histogram) const {
    const double clocks = static_cast<double>(net_.clocks());
    std::printf("%ux%u: %" PRIu64 " packets, %" PRIu64
                " flits, %.0f clocks, %.3f flits a clock a port\n",
                width_, height_, arrived_, flits_, clocks,
                static_cast<double>(flits_) / clocks / static_cast<double>(ports_.size()));
    if (!histogram) return;
    for (unsigned b = 0; b < 20; ++b) {
      if (latency_[b] != 0) std::printf("  latency < %7u: %9" PRIu64 "\n", 1u << b, latency_[b]);
    }
  }

 private:
  bool fail(const char* what) const {
    std::printf("clock %" PRIu64 ": %s\n", net_.clocks(), what);
    return false;
  }

  bool deadlock() const {
    fail("no flit has arrived for long: deadlock or lost credit");
    for (unsigned p = 0; p < ports_.size(); ++p) {
      const Port& port = ports_[p];
      if (!port.waiting.empty()) {
        std::printf("  port (%u, %u): %zu flits wait, %u credits\n", port.x, port.y,
                    port.waiting.size(), port.credits);
      }
    }
    return false;
  }

  // No port sends to itself: a router turns no packet back.
  unsigned target(unsigned from) {
    const unsigned to = wanted(from);
    return to != from ? to : (to + 1) % static_cast<unsigned>(ports_.size());
  }

  unsigned wanted(unsigned from) {
    const unsigned all = static_cast<unsigned>(ports_.size()), hosts = height_;
    switch (pattern_) {
      case kHotSpot:
        return random_.chance(50) ? hosts : random_.below(all);
      case kTranspose:
        return all - 1 - from;
      case kNeighbour:
        return (from + 1) % all;
      case kHosts:
        return from < hosts ? hosts + random_.below(all - hosts) : random_.below(hosts);
      default:
        return random_.below(all);
    }
  }

  void send(unsigned p) {
    Port& port = ports_[p];
    if (net_.credit(p)) ++port.credits;
    if (port.waiting.empty() && made_ < packets_) make(p, target(p));
    if (!port.waiting.empty() && port.credits != 0 && !random_.chance(send_stall_)) {
      net_.in(p, port.waiting.front());
      port.waiting.pop_front();
      --port.credits;
    }
  }

  void make(unsigned p, unsigned to) {
    Port& port = ports_[p];
    const std::uint32_t number = port.sent[to]++;
    const unsigned length = 1 + random_.below(9);
    ++made_;
    for (unsigned at = 0; at < length; ++at) {
      const std::uint64_t word = at == 0   ? head_word(ports_[to], p, number, length)
                                 : at == 1 ? net_.clocks()
                                           : body_word(p, to, number, at);
      port.waiting.push_back({at == 0, at + 1 == length, word});
    }
  }

  bool receive(unsigned p) {
    Port& port = ports_[p];
    Flit flit;
    if (net_.out(p, flit)) {
      ++flits_;
      if (++port.owed > kDepth) return fail("a flit without a credit: its buffer has overflowed");
      if (!take(p, flit)) return false;
    }
    if (port.owed != 0 && !random_.chance(take_stall_)) {
      net_.give_credit(p);
      --port.owed;
    }
    return true;
  }

  bool take(unsigned p, const Flit& flit) {
    Port& port = ports_[p];
    if (flit.head != (port.at == 0)) return fail("a packet in the middle of a packet");
    if (flit.head) {
      port.from = static_cast<unsigned>(flit.data >> 32 & 0xff);
      port.length = static_cast<unsigned>(flit.data >> 48 & 0xf);
      if (port.from >= ports_.size() ||
          flit.data != head_word(port, port.from, port.received[port.from], port.length)) {
        return fail("not the next packet of its flow: lost, twice, out of order or astray");
      }
    } else if (port.at == 1) {
      port.born = flit.data;
      if (port.born > net_.clocks()) return fail("a flit is not what was sent");
    } else if (flit.data != body_word(port.from, p, port.received[port.from], port.at)) {
      return fail("a flit is not what was sent");
    }
    if (++port.at == port.length) {
      if (!flit.tail) return fail("a packet without a tail");
      ++port.received[port.from];
      ++arrived_;
      if (port.length > 1) count(net_.clocks() - port.born);
      port.at = 0;
    } else if (flit.tail) {
      return fail("a packet is cut short");
    }
    return true;
  }

  void count(std::uint64_t latency) {
    unsigned b = 0;
    while (b < 19 && latency >> b != 0) ++b;
    ++latency_[b];
  }

  mesh::Net net_;
  Random random_;
  std::uint64_t packets_, made_ = 0, arrived_ = 0, flits_ = 0;
  unsigned width_, height_, pattern_ = 0, send_stall_ = 0, take_stall_ = 0;
  std::vector<Port> ports_;
  std::uint64_t latency_[20] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const mesh::Options options(argc, argv);
  const std::uint64_t seed = options.number("--seed", 1);
  Traffic traffic(static_cast<unsigned>(options.number("--width", 2)),
                  static_cast<unsigned>(options.number("--height", 2)),
                  options.number("--packets", 100000), seed);
  const bool right = traffic.run(options.text("--waveform"));
  traffic.report(right);
  if (!right) std::printf("seed %" PRIu64 " fails\n", seed);
  return right ? 0 : 1;
}
