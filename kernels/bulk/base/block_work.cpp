#include <cstring>

#include "kernels/bulk/base/work.h"
#include "kernels/cpu/xex.h"

namespace gpuctr::bulk {

void run_blocks(const BlockWork& work) {
  const std::size_t block = work.cipher.block_bytes, count = work.bytes / block;
  if (work.chained()) {
    std::uint8_t before[kMaxBlockBytes];
    copy_chain(before, work.before, block);
    (work.is_cfb() ? decrypt_cfb : decrypt_cbc)(work.cpu, block, work.keys, before, work.in,
                                                work.out, count);
  } else {
    (work.operation == BlockOperation::kDecrypt ? work.cpu.decrypt : work.cpu.encrypt)(
        work.keys, work.in, work.out, count);
  }
}

void finish_blocks(const BlockWork& work, const std::uint8_t* made) {
  const std::size_t block = work.cipher.block_bytes;
  if (work.is_cfb()) {
    xor_back(made, work.in, work.out, work.bytes);
  } else if (!work.chained()) {
    std::memcpy(work.out, made, work.bytes);
  } else if (work.bytes != 0) {
    xor_back(made + block, work.in, work.out + block, work.bytes - block);
    xor_back(made, work.before, work.out, block);
  }
}

}  // namespace gpuctr::bulk
