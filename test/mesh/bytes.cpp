// Jobs of every size through the mesh, byte by byte against OpenSSL, with random keys, counters
// that carry and last blocks of every length.
//
//   bytes --modules DIR [--width W --height H --ports P] [--from N --to N] [--form
//   key|data|both|turns]
//         [--stalls] [--seed S] [--goals] [--clocks FILE] [--waveform FILE --wave-from N]
//         [--coverage FILE]
//
// turns: keystream for odd counts and data for even ones. --stalls: both ends hold up flits at
// random, and packets come that no host should send. --goals: clocks may not exceed goals.h.
// --clocks: writes them.
#include <cinttypes>
#include <cstdio>
#include <string>

#include "test/mesh/goals.h"
#include "test/mesh/job.h"
#include "test/mesh/net.h"
#include "test/mesh/options.h"
#include "test/mesh/oracle.h"

namespace {

using namespace mesh;

const Element kElement = kElements[kBuilt.element];
constexpr unsigned kDepth = 4;          // a router's buffer, and what a host has to hold
constexpr std::uint64_t kStill = 5000;  // clocks without a flit that are called a deadlock

class Bench {
 public:
  Bench(const Options& options, const Shape& shape)
      : shape_(shape),
        net_(shape.width, shape.height, shape.hosts, options.number("--seed", 1)),
        step_(net_.ports() / shape.hosts),
        stalls_(options.has("--stalls")),
        credits_(shape.hosts, kDepth),
        owed_(shape.hosts) {}

  // False: `wrong` says why. Otherwise `clocks` are those from the first flit in to the last one
  // out.
  bool run(Host& host, const Job& job, Random& random) {
    auto packets = host.packets(job);
    if (stalls_ && random.chance(25)) add_bad_packets(packets, random);
    const std::uint64_t begin = net_.clocks();
    std::uint64_t last = begin;
    const unsigned stall = stalls_ ? random.below(80) : 0;
    while (!host.finished()) {
      for (unsigned port = 0; port < shape_.hosts; ++port) {
        if (!receive(host, port, stall, random, last)) return false;
        send(packets[port], port, stall, random);
      }
      if (net_.clocks() - last > kStill)
        return fail("no flit has come for long: deadlock or lost credit");
      net_.tick();
    }
    clocks = last - begin + 1;
    for (int i = 0; i < 8; ++i, net_.tick()) {  // credits come home, and nothing else
      for (unsigned port = 0; port < shape_.hosts; ++port) {
        if (!receive(host, port, 0, random, last)) return false;
        send(packets[port], port, 0, random);
      }
    }
    return true;
  }

  Net& net() { return net_; }
  std::uint64_t clocks = 0;
  std::string wrong;

 private:
  unsigned seat(unsigned port) const { return port * step_; }

  bool fail(const std::string& what) {
    wrong = "clock " + std::to_string(net_.clocks()) + ": " + what;
    return false;
  }

  bool receive(Host& host, unsigned port, unsigned stall, Random& random, std::uint64_t& last) {
    Flit flit;
    if (net_.out(seat(port), flit)) {
      last = net_.clocks();
      if (++owed_[port] > kDepth) return fail("a flit without a credit");
      if (host.finished()) return fail("a flit behind the last result");
      if (!host.take(port, flit)) return fail(host.wrong());
    }
    if (owed_[port] != 0 && !random.chance(stall)) {
      net_.give_credit(seat(port));
      --owed_[port];
    }
    return true;
  }

  void send(std::deque<Flit>& packets, unsigned port, unsigned stall, Random& random) {
    if (net_.credit(seat(port))) ++credits_[port];
    if (packets.empty() || credits_[port] == 0 || random.chance(stall)) return;
    net_.in(seat(port), packets.front());
    packets.pop_front();
    --credits_[port];
  }

  // Each is dropped: data without a job, a job that is too short or too long, a kind that is none,
  // one flit alone. In front of the job, so that no element is at work.
  void add_bad_packets(std::vector<std::deque<Flit>>& packets, Random& random) {
    const unsigned port = random.below(shape_.hosts);
    Head head{1 + random.below(shape_.width),
              port * shape_.band(),
              port * shape_.band(),
              kData,
              true,
              8,
              3,
              0};
    const unsigned right = kElement.key_words + kElement.block_words;
    for (int i = 0; i < 4; ++i) {
      unsigned words = random.below(9);
      head.kind = static_cast<Kind>(random.below(4));
      if (head.kind == kJob && words == right) ++words;
      std::deque<Flit> bad{{true, words == 0, head.word()}};
      for (unsigned w = 0; w < words; ++w) bad.push_back({false, w + 1 == words, random.next()});
      packets[port].insert(packets[port].begin(), bad.begin(), bad.end());
    }
  }

  Shape shape_;
  Net net_;
  unsigned step_;
  bool stalls_;
  std::vector<unsigned> credits_, owed_;
};

// Counters of every kind: random, all ones, and ones up to a border that a carry has to cross.
Job make_job(unsigned blocks, bool with_data, Random& random) {
  const auto fill = [&](std::size_t n) {
    Bytes bytes(n);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    return bytes;
  };
  Job job{fill(kElement.key_bytes()), fill(kElement.block_bytes()), 0, with_data, {}};
  const unsigned kind = random.below(4);
  if (kind != 0) {
    const std::size_t ones =
        kind == 1 ? job.counter.size() : 1 + random.below(kElement.block_bytes());
    for (std::size_t i = 0; i < ones; ++i) job.counter[job.counter.size() - 1 - i] = 0xff;
    if (kind == 3) job.counter.back() = static_cast<std::uint8_t>(random.next());
  }
  const unsigned last =
      random.chance(50) ? kElement.block_bytes() : 1 + random.below(kElement.block_bytes());
  job.bytes = std::size_t{blocks - 1} * kElement.block_bytes() + last;
  if (with_data) job.data = fill(job.bytes);
  return job;
}

void print(const char* name, const std::uint8_t* bytes, std::size_t n) {
  std::printf("  %s ", name);
  for (std::size_t i = 0; i < n; ++i) std::printf("%02x", bytes[i]);
  std::printf("\n");
}

bool compare(const Bytes& got, Bytes expected, const Job& job) {
  for (std::size_t i = 0; i < job.data.size(); ++i) expected[i] ^= job.data[i];
  expected.resize(got.size());  // bytes of the last block that do not count are zero
  if (got == expected) return true;
  std::size_t at = 0;
  while (got[at] == expected[at]) ++at;
  const std::size_t size = kElement.block_bytes(), block = at / size;
  std::printf("first differing block: %zu of %zu\n", block, got.size() / size);
  print("expected", &expected[block * size], size);
  print("got     ", &got[block * size], size);
  print("key     ", job.key.data(), job.key.size());
  print("counter ", job.counter.data(), job.counter.size());
  return false;
}

int run(const Options& options) {
  const auto number = [&](const char* name, unsigned otherwise) {
    return static_cast<unsigned>(options.number(name, otherwise));
  };
  const Shape shape{number("--width", kBuilt.width), number("--height", kBuilt.height),
                    number("--ports", kBuilt.hosts)};
  const std::string form = options.text("--form", "both"), waveform = options.text("--waveform");
  const unsigned from = number("--from", 1), to = number("--to", 1024),
                 every = number("--every", 1);
  Oracle oracle(kElement, options.text("--modules", "."));
  Bench bench(options, shape);
  Host host(kElement, shape);
  std::FILE* table =
      options.has("--clocks") ? std::fopen(options.text("--clocks").c_str(), "w") : nullptr;
  unsigned jobs = 0;
  for (unsigned n = from; n <= to; n += options.has("--doubling") ? n : every) {
    if (!waveform.empty() && n >= number("--wave-from", from) && !bench.net().has_waveform() &&
        !bench.net().open_waveform(waveform)) {
      std::printf("this program was built without waveforms\n");
      return 2;
    }
    for (unsigned data = 0; data < 2; ++data) {
      if (form == (data != 0 ? "key" : "data") || (form == "turns" && n % 2 == data)) continue;
      Random random(options.number("--seed", 1) * 4096 + n * 2 + data);
      const Job job = make_job(n, data != 0, random);
      bool right = bench.run(host, job, random);
      if (right) {
        right = compare(host.result(), oracle.keystream(job.key, job.counter, job.bytes), job);
      } else {
        std::printf("%s\n", bench.wrong.c_str());
      }
      const std::uint64_t goal = goal_clocks(kElement, shape, n, data != 0);
      if (right && options.has("--goals") && goal != 0 && bench.clocks > goal) {
        std::printf("%" PRIu64 " clocks, the goal is %" PRIu64 "\n", bench.clocks, goal);
        right = false;
      }
      if (!right) {
        std::printf("%s %ux%u, %u ports, %u blocks, %s: wrong; seed %" PRIu64 "\n", kElement.name,
                    shape.width, shape.height, shape.hosts, n, data != 0 ? "data" : "keystream",
                    options.number("--seed", 1));
        std::printf("replay: --wave-from %u --to %u\n", n, n);
        return 1;
      }
      if (table != nullptr) std::fprintf(table, "%u %u %" PRIu64 "\n", n, data, bench.clocks);
      ++jobs;
    }
  }
  if (table != nullptr) std::fclose(table);
  std::printf("%s %ux%u, %u ports: %u jobs are right, %" PRIu64 " clocks\n", kElement.name,
              shape.width, shape.height, shape.hosts, jobs, bench.net().clocks());
  if (options.has("--coverage")) bench.net().write_coverage(options.text("--coverage"));
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(Options(argc, argv)); }
