#include "kernels/bulk/job/job.h"

#include <algorithm>
#include <new>

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"

namespace gpuctr::bulk {
namespace {

// One thread keeps this many slots in flight: it XORs one slot while the device fills the others.
constexpr std::size_t kLeastLaunches = 2;
constexpr std::size_t kMostLaunches = 4;
// A smaller piece costs more to launch than it saves.
constexpr std::size_t kLeastPiece = 64u << 10;
// The smallest piece of a core, if all threads share a job without a device: some 3 us.
constexpr std::size_t kLeastCpuPiece = 32u << 10;

}  // namespace

struct Job::Launch {
  Slot* slot = nullptr;
  Piece piece;
};

// The launches of one thread, oldest first.
class Job::Launches {
 public:
  explicit Launches(Shared* shared) : shared_(shared) {}
  ~Launches() {
    if (spare_ != nullptr) shared_->ring.give(spare_);
  }
  // The number of launches to keep in flight. It is known once the devices are ready, perhaps in
  // the middle of the job.
  void open(std::size_t most) {
    most_ = std::clamp<std::size_t>(most, kLeastLaunches, kMostLaunches);
  }
  bool full() const { return count_ >= most_; }
  bool empty() const { return count_ == 0; }
  Launch& oldest() { return launches_[first_]; }
  void push(const Launch& launch) { launches_[(first_ + count_++) % kMostLaunches] = launch; }
  void pop() {
    first_ = (first_ + 1) % kMostLaunches;
    --count_;
  }
  // A slot to fill: the slot just emptied, or another of the ring.
  Slot* slot() {
    Slot* slot = spare_;
    spare_ = nullptr;
    std::uint64_t ticket;
    return slot != nullptr ? slot : shared_->take_slot(0, &ticket);
  }
  void keep(Slot* slot) {
    if (spare_ != nullptr) shared_->ring.give(spare_);
    spare_ = slot;
  }
  DeviceSegment* batch() {
    if (batch_ == nullptr) batch_.reset(new (std::nothrow) DeviceSegment[WorkQueue::kMaxParts]);
    return batch_.get();
  }

 private:
  Shared* const shared_;
  std::size_t most_ = 0;
  Launch launches_[kMostLaunches];
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Slot* spare_ = nullptr;
  std::unique_ptr<DeviceSegment[]> batch_;
};

Job::Job(Shared* shared, const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
         std::size_t total, std::size_t granularity, JobDevices devices, Report* report)
    : shared_(shared),
      cipher_(cipher),
      queue_(cipher, segments, count, total),
      granularity_(granularity),
      count_(count),
      devices_(devices),
      report_(report) {}

bool Job::run() {
  const CancelDisabled whole_job;
  work();
  if (offered_) shared_->pool.finish(this);
  // If every launch failed, the CPU must not do the whole job.
  if (devices_ == JobDevices::kMust && reported_ && !used_device()) queue_.close();
  if (devices_ != JobDevices::kMust || !queue_.closed()) return true;
  // If another job saw the last device fail, this job has not reported the reason yet.
  if (report_ != nullptr && !reported_ && !process_is_exiting()) {
    report_->fallback(shared_->last_failure(), "earlier");
  }
  undo(queue_.taken());
  return false;
}

// Helpers enter after the job is offered, so the caller offers it.
void Job::work() {
  Launches launches(shared_);
  for (;;) {
    if (devices_open()) {
      if (!offered_) offer();
      launches.open(shared_->ring.slot_count() / (2 * shared_->threads()));
      while (!launches.full() && refill(&launches)) {
      }
    } else if (!offered_ && shared_->threads() > 1) {
      offer();
    }
    if (launches.empty()) {
      if (!cpu_step()) return;
      continue;
    }
    // While the device works, this core takes a piece of its own.
    const DeviceStatus status = shared_->ring.poll(launches.oldest().slot);
    if (status == DeviceStatus::kNotReady && cpu_step()) continue;
    finish(&launches, status);
  }
}

// Checked repeatedly: devices may become ready, or be lost, in the middle of a job.
bool Job::devices_open() {
  if (devices_ == JobDevices::kNone || !shared_->ready()) return false;
  if (open_.load(std::memory_order_relaxed)) return true;
  if (!Policy::joins(devices_, shared_, cipher_, queue_.left())) return false;
  open_.store(true, std::memory_order_relaxed);
  return true;
}

void Job::offer() {
  offered_ = true;
  const unsigned threads = shared_->threads();
  const std::size_t useful = queue_.left() / kLeastPiece;
  if (threads <= 1 || useful <= 1) return;
  process_has_threads();
  shared_->pool.start(threads - 1);
  shared_->pool.post(this, static_cast<unsigned>(std::min<std::size_t>(threads - 1, useful - 1)));
}

// Large pieces first, smaller ones towards the end, so that all threads end together.
std::size_t Job::device_piece() const {
  const std::size_t fair = queue_.left() / (2 * std::size_t{shared_->threads()});
  return whole(std::min(std::max(fair, kLeastPiece), shared_->ring.slot_bytes()));
}

// Closes the queue of a job that requires a device, once no device is left and work remains.
bool Job::refuse() {
  if (devices_ != JobDevices::kMust || shared_->any_alive()) return false;
  queue_.close();
  return true;
}

bool Job::cpu_step() {
  if (queue_.left() == 0 || refuse()) return false;
  Piece piece;
  if (!queue_.take(cpu_piece(), &piece)) return false;
  on_cpu(piece);
  return true;
}

// Without a device all threads end together only if no thread takes a large piece last.
std::size_t Job::cpu_piece() const {
  std::size_t piece = shared_->cpu_piece(cipher_);
  if (devices_ == JobDevices::kNone) {
    const std::size_t fair = queue_.left() / (2 * std::size_t{shared_->threads()});
    piece = std::min(std::max(fair, kLeastCpuPiece), piece);
  }
  return std::max(whole(piece), granularity_);
}

void Job::on_cpu(const Piece& piece) {
  make(piece);
  if (report_ != nullptr) report_->counters.cpu(piece.bytes);
}

// Starts the next piece on a device. False: no work is left, or no slot is available.
bool Job::refill(Launches* launches) {
  if (queue_.left() == 0) return false;
  DeviceSegment* const batch = count_ > 1 ? launches->batch() : nullptr;
  if (count_ > 1 && batch == nullptr) return false;
  Launch next;
  next.slot = launches->slot();
  if (next.slot == nullptr) return false;
  if (!queue_.take(device_piece(), &next.piece)) {
    launches->keep(next.slot);
    return false;
  }
  const DeviceStatus status = launch(next.slot, next.piece, batch);
  if (status == DeviceStatus::kOk) {
    launches->push(next);
    return true;
  }
  shared_->ring.give(next.slot);
  failed(next.piece, status, "launch");
  return shared_->any_alive();
}

// Finishes the oldest launch, whose poll returned `status`: waits for its piece and takes it, or
// makes the piece on this thread.
void Job::finish(Launches* launches, DeviceStatus status) {
  const Launch oldest = launches->oldest();
  launches->pop();
  if (status == DeviceStatus::kNotReady) status = shared_->ring.wait(oldest.slot);
  if (status != DeviceStatus::kOk) {
    shared_->ring.give(oldest.slot);
    failed(oldest.piece, status, product());
    return;
  }
  if (DeviceSection section; section) {
    take(*oldest.slot, oldest.piece);
    used_device_.store(true, std::memory_order_relaxed);
    if (report_ != nullptr) report_->counters.gpu(oldest.piece.bytes);
  } else {
    on_cpu(oldest.piece);
  }
  launches->keep(oldest.slot);
}

void Job::failed(const Piece& piece, DeviceStatus why, const char* where) {
  on_cpu(piece);
  static_cast<void>(refuse());
  if (report_ == nullptr || process_is_exiting()) return;
  report_->fallback(why, where);
  reported_.store(true, std::memory_order_relaxed);
}

}  // namespace gpuctr::bulk
