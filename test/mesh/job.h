// A job for the mesh as its host sees it: ranges of blocks, packets out, packets in. What
// kernels/mesh/README.md says of hosts is done here.
#ifndef GPUCTR_TEST_MESH_JOB_H
#define GPUCTR_TEST_MESH_JOB_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "test/mesh/flit.h"
#include "test/mesh/oracle.h"

namespace mesh {

struct Shape {
  unsigned width, height;
  unsigned hosts;  // ports in use: each has the band of height / hosts rows from its own on
  unsigned band() const { return height / hosts; }
};

struct Job {
  Bytes key, counter;
  std::size_t bytes;
  bool with_data;
  Bytes data;  // of a job with data
};

class Host {
 public:
  Host(const Element& element, const Shape& shape) : element_(element), shape_(shape) {}

  // The flits that each port has to send, in order. N blocks of E elements: N/E each, and one more
  // for the first N mod E, those nearest to a port.
  std::vector<std::deque<Flit>> packets(const Job& job);

  // Takes a flit that came out of a port. False: `wrong()` says what is wrong with it.
  bool take(unsigned port, const Flit& flit);
  bool finished() const { return blocks_left_ == 0; }
  const std::string& wrong() const { return wrong_; }
  const Bytes& result() const { return result_; }

 private:
  struct Range {
    unsigned x, y, first, count;
    unsigned sent = 0;  // blocks of data
  };
  struct Incoming {  // the packet that a port is in the middle of
    unsigned index = 0, words = 0;
  };
  void split(std::size_t blocks);
  void data_packets(const Job& job, std::vector<Range*>& ranges, unsigned host_y,
                    std::deque<Flit>& out);
  Range* range_of(unsigned block, unsigned port);
  bool fail(const char* what);

  const Element& element_;
  Shape shape_;
  std::vector<Range> ranges_;  // nearest to its port first
  std::vector<Incoming> incoming_;
  std::map<unsigned, unsigned>
      next_;  // of each range, by its first block: the block that must come next
  std::size_t blocks_left_ = 0;
  Bytes result_;
  std::string wrong_;
};

}  // namespace mesh

#endif
