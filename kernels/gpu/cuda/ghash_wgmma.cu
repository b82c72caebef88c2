// GHASH by wgmma, alone; kernel/wgmma.cuh and kernel/gcm.cuh tell how.
#include "kernels/gpu/cuda/kernel/gcm.cuh"

namespace gpuctr::cuda {

std::size_t wgmma_table_bytes() { return sizeof(HashTables<Wgmma>); }

cudaError_t make_wgmma_tables(cudaStream_t stream, const HashPowers& powers,
                              const std::uint8_t* before, unsigned grid, std::size_t blocks,
                              void* tables) {
  // Of a run shorter than a turn the first steps are none.
  const unsigned units = HashRun<Wgmma>::make(tables, blocks, grid, nullptr).units;
  const unsigned first = units < kWgmmaOrder.units ? kWgmmaOrder.units - units : 0;
  return make_tables_of<Wgmma>(stream, powers, before, grid, first * kWgmmaOrder.steps_a_unit,
                               tables);
}

cudaError_t hash_by_wgmma(cudaStream_t stream, void* tables, unsigned grid, const void* in,
                          std::size_t blocks, void* to, bool behind_tables) {
  GcmParameters<NoForm> job = {};
  GcmSpan span = {};
  span.in = in;
  span.blocks = blocks;
  span.tables = tables;
  span.grid = grid;
  span.sum = to;
  span.behind_tables = behind_tables;
  return launch_gcm<NoForm, GcmVerb::kHash>(stream, span, &job);
}

}  // namespace gpuctr::cuda
