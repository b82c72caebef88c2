// Random numbers in device memory: keystream, and a kernel that makes numbers of it. A chunk of
// keystream stays in the device's cache in between.
#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/device/memory.h"

namespace gpuctr::bulk {
namespace {

constexpr std::size_t kBlock = 16;

void counter_at(const DeviceMemory::Numbers& job, std::size_t first, std::uint8_t* counter) {
  std::memcpy(counter, job.counter, kBlock);
  counter_add(counter, kBlock, first * job.what.word_bytes() / kBlock);
}

}  // namespace

DeviceStatus DeviceMemory::numbers(const Numbers& job) {
  const CancelDisabled guard;
  const int device = place(job.out).device;
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  Channel* const channel = acquire(device);
  if (channel == nullptr) return DeviceStatus::kNoDevice;
  DeviceStatus status = prepare(channel, device, false);
  if (status == DeviceStatus::kOk) status = numbers_on(channel, job);
  release(channel, status == DeviceStatus::kOk);
  return status;
}

DeviceStatus DeviceMemory::numbers_on(Channel* channel, const Numbers& job) {
  std::size_t done = job.count;
  DeviceStatus status = layer_->ctr_numbers(channel->stream, job.cipher, job.keys, job.counter,
                                            job.what, job.out, &done);
  if (status == DeviceStatus::kDeviceLost) return status;
  if (status != DeviceStatus::kOk) done = 0;
  if (status == DeviceStatus::kOk && done == job.count) return layer_->stream_wait(channel->stream);
  status = DeviceStatus::kOk;
  if (channel->scratch == nullptr) {
    status = layer_->device_alloc(channel->device, kScratch, &channel->scratch);
  }
  const std::size_t at_once = kScratch / job.what.word_bytes();
  while (status == DeviceStatus::kOk && done < job.count) {
    const std::size_t count = std::min(at_once, job.count - done);
    const std::size_t words = (count + 1) / 2 * 2 * job.what.word_bytes();
    std::uint8_t counter[kBlock];
    counter_at(job, done, counter);
    status = layer_->ctr(channel->stream, job.cipher, job.keys, counter, nullptr, channel->scratch,
                         (words + kBlock - 1) / kBlock * kBlock);
    if (status == DeviceStatus::kOk) {
      status = layer_->numbers(channel->stream, job.what, channel->scratch,
                               job.out + done * job.what.number_bytes(), count);
    }
    if (status == DeviceStatus::kOk) done += count;
  }
  if (status == DeviceStatus::kOk) {
    status = layer_->zero(channel->stream, channel->scratch,
                          std::min(kScratch, job.count * job.what.word_bytes() + 2 * kBlock));
  }
  if (status == DeviceStatus::kOk) return layer_->stream_wait(channel->stream);
  if (status == DeviceStatus::kDeviceLost) return status;
  // A kernel that was not started left its output to the CPU.
  const DeviceStatus why = status;
  drop_scratch(channel);
  status = prepare(channel, channel->device, true);
  return status == DeviceStatus::kOk ? numbers_by_cpu(channel, job, done, job.count - done) : why;
}

DeviceStatus DeviceMemory::numbers_by_cpu(Channel* channel, const Numbers& job, std::size_t first,
                                          std::size_t count) {
  const std::size_t number = job.what.number_bytes(), word = job.what.word_bytes();
  const std::size_t at_once = kHalf / std::max(number, word) / 2 * 2 - 2;
  std::uint8_t* const random = channel->half(0);
  std::uint8_t* const made = channel->half(1);
  DeviceStatus status = DeviceStatus::kOk;
  for (const std::size_t end = first + count; status == DeviceStatus::kOk && first < end;) {
    const std::size_t n = std::min(at_once, end - first);
    std::uint8_t counter[kBlock];
    counter_at(job, first, counter);
    job.cpu.ctr(job.keys, counter, nullptr, random, (n + 1) / 2 * 2 * word);
    make_numbers(job.what, random, made, n);
    status = move(channel, job.out + first * number, made, {PointerKind::kDevice, channel->device},
                  n * number);
    wipe(channel->stage, kStage);
    first += n;
  }
  return status;
}

}  // namespace gpuctr::bulk
