// Many messages in one update: the parameters of a context, gpuctr(7) "Many messages".
#ifndef GPUCTR_PROVIDER_MODE_BASE_BATCH_H
#define GPUCTR_PROVIDER_MODE_BASE_BATCH_H

#include <cstddef>
#include <cstdint>

#include "kernels/bulk/batch/table.h"

namespace gpuctr {

struct CipherSpec;
struct ContextParam;
struct Mode;

// The arrays that parameters name.
enum BatchArray : unsigned {
  kBatchKeys,
  kBatchKeyIndex,
  kBatchIvs,
  kBatchLengths,
  kBatchOffsets,
  kBatchAad,
  kBatchAadLengths,
  kBatchTags,
  kBatchResults,
  kBatchArrays
};

// The batches of a context. A context has this object from the first such parameter on. The memory
// of the arrays is the application's.
struct BatchSettings {
  struct Array {
    const std::uint8_t* data = nullptr;  // nullptr: absent
    std::size_t bytes = 0;
  };
  std::size_t messages = 0;
  Array arrays[kBatchArrays];
  bulk::SharedTable table;        // empty until the first batch with numbers of keys
  const char* backend = nullptr;  // of the last batch
};

// Whether contexts of this cipher in this mode take many messages.
bool has_batches(const CipherSpec& cipher, const Mode& mode);

// The parameters of such contexts. A row without a key ends the list.
extern const ContextParam kBatchParams[];
// Whether the mode has the row: only authenticated modes have tags and associated data.
bool has_batch_param(const Mode& mode, const ContextParam& row);

}  // namespace gpuctr

#endif
