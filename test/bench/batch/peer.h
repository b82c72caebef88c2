// Intel's ipsec-mb, whose jobs of AES hold many messages in the lanes of a vector. The build may
// lack the library: then there is no peer.
#ifndef GPUCTR_TEST_BENCH_BATCH_PEER_H
#define GPUCTR_TEST_BENCH_BATCH_PEER_H

#include <functional>
#include <string>

#include "test/bench/batch/messages.h"

namespace gpuctr::bench {

// Seals all messages of `size` bytes in place; empty where the library lacks the cipher.
// `schedules`: the keys are expanded before; otherwise each call expands them.
std::function<void()> ipsec_mb(const std::string& cipher, ManyMode mode, BatchData* data,
                               std::size_t size, bool schedules);

}  // namespace gpuctr::bench

#endif
