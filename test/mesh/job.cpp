#include "test/mesh/job.h"

#include <algorithm>

namespace mesh {
namespace {

std::uint64_t word_at(const Bytes& bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    word = word << 8 | (at + i < bytes.size() ? bytes[at + i] : 0u);
  }
  return word;
}

}  // namespace

void Host::split(std::size_t blocks) {
  ranges_.clear();
  for (unsigned y = 0; y < shape_.height; ++y) {
    for (unsigned x = 1; x <= shape_.width; ++x) ranges_.push_back({x, y, 0, 0});
  }
  const auto hops = [this](const Range& r) { return r.x + r.y % shape_.band(); };
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [&](const Range& a, const Range& b) { return hops(a) < hops(b); });
  const std::size_t elements = ranges_.size();
  unsigned first = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    ranges_[i].first = first;
    ranges_[i].count = static_cast<unsigned>(blocks / elements + (i < blocks % elements ? 1 : 0));
    first += ranges_[i].count;
  }
}

std::vector<std::deque<Flit>> Host::packets(const Job& job) {
  const std::size_t blocks = (job.bytes + element_.block_bytes() - 1) / element_.block_bytes();
  const unsigned last_bytes =
      static_cast<unsigned>(job.bytes - (blocks - 1) * element_.block_bytes());
  split(blocks);
  std::vector<std::deque<Flit>> out(shape_.hosts);
  next_.clear();
  for (unsigned port = 0; port < shape_.hosts; ++port) {
    const unsigned host_y = port * shape_.band();
    std::vector<Range*> mine;
    // The farthest first, so that all start at about the same time.
    for (auto r = ranges_.rbegin(); r != ranges_.rend(); ++r) {
      if (r->y / shape_.band() == port && r->count != 0) mine.push_back(&*r);
    }
    for (const Range* r : mine) {
      const bool ends = r->first + r->count == blocks;
      const Head head{r->x,     r->y,          host_y,
                      kJob,     job.with_data, ends ? last_bytes : element_.block_bytes(),
                      r->count, r->first};
      out[port].push_back({true, false, head.word()});
      for (unsigned i = 0; i < element_.key_words; ++i) {
        out[port].push_back({false, false, word_at(job.key, 8 * i)});
      }
      for (unsigned i = 0; i < element_.block_words; ++i) {
        out[port].push_back({false, i + 1 == element_.block_words, word_at(job.counter, 8 * i)});
      }
      next_[r->first] = r->first;
    }
    if (job.with_data) data_packets(job, mine, host_y, out[port]);
  }
  blocks_left_ = blocks;
  incoming_.assign(shape_.hosts, {});
  result_.assign(blocks * element_.block_bytes(), 0);
  wrong_.clear();
  return out;
}

// Round and round the ranges. Elements that are slower than the port get one block each first, so
// that all can begin, and twice as many each time; to a faster one a head is the only loss.
void Host::data_packets(const Job& job, std::vector<Range*>& ranges, unsigned host_y,
                        std::deque<Flit>& out) {
  bool more = true;
  const unsigned start = element_.clocks == 1 ? kPacketWords : element_.block_words;
  for (unsigned words = start; more; words = std::min(2 * words, kPacketWords)) {
    more = false;
    for (Range* r : ranges) {
      const unsigned count = std::min(words / element_.block_words, r->count - r->sent);
      if (count == 0) continue;
      Head head{r->x, r->y, host_y, kData, false, 0, count, r->first + r->sent};
      out.push_back({true, false, head.word()});
      const std::size_t at = (r->first + r->sent) * std::size_t{element_.block_bytes()};
      for (unsigned i = 0; i < count * element_.block_words; ++i) {
        out.push_back(
            {false, i + 1 == count * element_.block_words, word_at(job.data, at + 8 * i)});
      }
      r->sent += count;
      more = more || r->sent != r->count;
    }
  }
}

bool Host::fail(const char* what) {
  wrong_ = what;
  return false;
}

Host::Range* Host::range_of(unsigned block, unsigned port) {
  for (Range& r : ranges_) {
    if (block >= r.first && block < r.first + r.count) {
      return r.y / shape_.band() == port ? &r : nullptr;
    }
  }
  return nullptr;
}

bool Host::take(unsigned port, const Flit& flit) {
  Incoming& packet = incoming_[port];
  if (flit.head != (packet.words == 0)) return fail("a packet in the middle of a packet");
  if (flit.head) {
    const Head head = Head::of(flit.data);
    const Range* range = range_of(head.first, port);
    if (head.kind != kResult || head.to_x != 0 || head.to_y != port * shape_.band()) {
      return fail("not a result for this port");
    }
    if (range == nullptr) return fail("a result that is nobody's");
    if (next_[range->first] != head.first) return fail("results twice, or not in order");
    if (head.count == 0 || head.count * element_.block_words > kPacketWords ||
        head.first + head.count > range->first + range->count || flit.tail) {
      return fail("a result of a wrong length");
    }
    next_[range->first] += head.count;
    packet.index = head.first * element_.block_words;
    packet.words = head.count * element_.block_words;
    return true;
  }
  for (unsigned i = 0; i < 8; ++i) {
    result_[8 * packet.index + i] = static_cast<std::uint8_t>(flit.data >> (56 - 8 * i));
  }
  ++packet.index;
  --packet.words;
  if (flit.tail != (packet.words == 0)) return fail("a packet cut short, or without a tail");
  if (packet.index % element_.block_words == 0) --blocks_left_;
  return true;
}

}  // namespace mesh
