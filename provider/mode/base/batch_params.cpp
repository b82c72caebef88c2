// The parameters of many messages in one update.
#include <new>

#include "provider/core/errors.h"
#include "provider/core/gpuctr.h"
#include "provider/core/ossl_param.h"
#include "provider/mode/base/batch.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {

// Makes the settings at the first parameter. False, with an error: no memory.
bool CipherContext::has_batch_settings() {
  if (batch_ == nullptr) batch_.reset(new (std::nothrow) BatchSettings);
  if (batch_ != nullptr) return true;
  refuse(Reason::kNoMemory, "a batch of %s-%s", cipher_->name, mode_->name);
  return false;
}

bool CipherContext::set_batch_messages(std::uint64_t count) {
  if (!has_batch_settings()) return false;
  batch_->messages = static_cast<std::size_t>(count);
  return true;
}

bool CipherContext::set_batch_array(BatchArray array, const std::uint8_t* data, std::size_t bytes) {
  if (!has_batch_settings()) return false;
  batch_->arrays[array] = {data, bytes};
  if (array == kBatchKeys) batch_->table = {};
  return true;
}

namespace {

template <BatchArray kArray>
bool get_array(CipherContext& c, OSSL_PARAM* param) {
  if (param->data_type != OSSL_PARAM_OCTET_PTR) return false;
  const BatchSettings::Array array = c.batch_array(kArray);
  return answer_octets(param, array.data, array.bytes);
}

// GivenParams::read() has checked that data without a size are absent.
template <BatchArray kArray>
bool set_array(CipherContext& c, const std::uint8_t* data, std::size_t bytes) {
  return c.set_batch_array(kArray, data, bytes);
}

template <BatchArray kArray>
constexpr ContextParam row(const char* key) {
  return {key, OSSL_PARAM_OCTET_PTR, get_array<kArray>, nullptr, 0, set_array<kArray>};
}

}  // namespace

// The last rows of a context. Only the first row that is set can fail, for want of memory, and then
// no row has been set. So CipherContext::all_or_nothing() need not restore them.
const ContextParam kBatchParams[] = {
    {GPUCTR_PARAM_BATCH_MESSAGES, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.batch_messages()); },
     [](CipherContext& c, std::uint64_t count) { return c.set_batch_messages(count); }, UINT32_MAX},
    row<kBatchKeys>(GPUCTR_PARAM_BATCH_KEYS),
    row<kBatchKeyIndex>(GPUCTR_PARAM_BATCH_KEY_INDEX),
    row<kBatchIvs>(GPUCTR_PARAM_BATCH_IVS),
    row<kBatchLengths>(GPUCTR_PARAM_BATCH_LENGTHS),
    row<kBatchOffsets>(GPUCTR_PARAM_BATCH_OFFSETS),
    row<kBatchAad>(GPUCTR_PARAM_BATCH_AAD),
    row<kBatchAadLengths>(GPUCTR_PARAM_BATCH_AAD_LENGTHS),
    row<kBatchTags>(GPUCTR_PARAM_BATCH_TAGS),
    row<kBatchResults>(GPUCTR_PARAM_BATCH_RESULTS),
    {nullptr, 0, nullptr, nullptr, 0},
};

bool has_batches(const CipherSpec& cipher, const Mode& mode) {
  return !cipher.legacy && (&mode == &kCtrMode || &mode == &kGcmMode || &mode == &kCcmMode ||
                            &mode == &kCbcMode || &mode == &kXtsMode);
}

bool has_batch_param(const Mode& mode, const ContextParam& row) {
  return mode.aead || !(row.get == get_array<kBatchAad> || row.get == get_array<kBatchTags> ||
                        row.get == get_array<kBatchAadLengths>);
}

}  // namespace gpuctr
