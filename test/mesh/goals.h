// Goals in clocks, from the job's first flit to the result's last, and 0 where there is none.
#ifndef GPUCTR_TEST_MESH_GOALS_H
#define GPUCTR_TEST_MESH_GOALS_H

#include "test/mesh/job.h"

namespace mesh {

inline std::uint64_t goal_clocks(const Element& element, const Shape& shape, unsigned blocks,
                                 bool data) {
  const unsigned elements = shape.width * shape.height, each = (blocks + elements - 1) / elements;
  const bool one_block_a_clock = element.clocks == 1, block_is_a_flit = element.block_words == 1;
  if (shape.width == 2 && shape.height == 2 && shape.hosts == 1) {
    if (one_block_a_clock) return (data ? 125 : 115) * blocks / 100 + 48;
    return element.clocks * each + (element.clocks == 16 ? 40 : 48);
  }
  if (shape.width == 2 && shape.height == 2 && shape.hosts == 2 && one_block_a_clock) {
    return 65 * blocks / 100 + 40;
  }
  if (shape.width == 4 && shape.height == 4 && shape.hosts == 4 && block_is_a_flit) {
    if (one_block_a_clock) return 35 * blocks / 100 + 56;
    if (element.clocks == 16) return 16 * each + 48;
  }
  return 0;
}

}  // namespace mesh

#endif
