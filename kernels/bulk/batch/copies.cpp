#include "kernels/bulk/batch/copies.h"

#include <algorithm>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/device/memory.h"

namespace gpuctr::bulk {

BatchCopies::~BatchCopies() {
  for (unsigned i = 0; i < count_; ++i) {
    wipe(copies_[i].here, copies_[i].bytes);
    ::operator delete(copies_[i].here);
  }
}

template <class T>
DeviceStatus BatchCopies::take(T** array, std::size_t bytes, bool is_output) {
  if (*array == nullptr || bytes == 0) return DeviceStatus::kOk;
  if (memory_->place(*array).kind != PointerKind::kDevice) return DeviceStatus::kOk;
  auto* const here = static_cast<std::uint8_t*>(::operator new(bytes, std::nothrow));
  if (here == nullptr) return DeviceStatus::kOutOfMemory;
  auto* const there = reinterpret_cast<std::uint8_t*>(const_cast<std::remove_const_t<T>*>(*array));
  copies_[count_++] = {here, there, bytes, is_output};
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  for (std::size_t at = 0; at < bytes; at += kAtOnce) {
    const DeviceStatus status = memory_->read(here + at, there + at, std::min(kAtOnce, bytes - at));
    if (status != DeviceStatus::kOk) return status;
  }
  *array = reinterpret_cast<T*>(here);
  return DeviceStatus::kOk;
}

DeviceStatus BatchCopies::numbers(Batch* b) {
  const std::size_t words = b->messages * sizeof(std::uint32_t);
  DeviceStatus status = take(&b->lengths, words, false);
  if (status == DeviceStatus::kOk)
    status = take(&b->offsets, b->messages * sizeof(std::uint64_t), false);
  if (status == DeviceStatus::kOk) status = take(&b->key_index, words, false);
  if (status == DeviceStatus::kOk) status = take(&b->aad_lengths, words, false);
  return status;
}

DeviceStatus BatchCopies::data(Batch* b) {
  const bool in_place = b->in == b->out;
  DeviceStatus status = DeviceStatus::kOk;
  const auto next = [&](auto** array, std::size_t bytes, bool is_output) {
    if (status == DeviceStatus::kOk) status = take(array, bytes, is_output);
  };
  next(&b->keys, b->table == nullptr ? b->messages * b->key_bytes : 0, false);
  next(&b->ivs, b->messages * b->iv_bytes, false);
  next(&b->out, b->bytes, true);
  if (in_place) {
    b->in = b->out;
  } else {
    next(&b->in, b->bytes, false);
  }
  next(&b->aad, b->aad_bytes, false);
  next(&b->tags, b->messages * b->tag_bytes, b->encrypts);
  next(&b->results, b->messages, true);
  return status;
}

DeviceStatus BatchCopies::put_back() {
  for (unsigned i = 0; i < count_; ++i) {
    const Copy& c = copies_[i];
    if (!c.is_output) continue;
    const DeviceStatus status = memory_->write(c.there, c.here, c.bytes);
    if (status != DeviceStatus::kOk) return status;
  }
  return DeviceStatus::kOk;
}

}  // namespace gpuctr::bulk
