// The fake device's streams, each a thread, and the marks in them.
#ifndef GPUCTR_TEST_BULK_FAKE_GPU_QUEUE_H
#define GPUCTR_TEST_BULK_FAKE_GPU_QUEUE_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/gpu/layer.h"

namespace gpuctr {

// Shared with the marks still queued in streams: destroying an event does not wait for them.
struct EventState {
  std::mutex mutex;
  std::condition_variable changed;
  bool pending = false;
  DeviceStatus status = DeviceStatus::kOk;
};

struct DeviceEvent {
  int device;
  unsigned context;  // of the device, when it was made
  std::shared_ptr<EventState> state;
};

struct DeviceStream {
  DeviceStream(int d, unsigned c) : device(d), context(c), thread([this] { serve(); }) {}
  ~DeviceStream() {
    post(nullptr);
    thread.join();
  }
  // An empty task ends the stream.
  void post(std::function<void(DeviceStream*)> task) {
    const std::lock_guard<std::mutex> lock(mutex);
    tasks.push_back(std::move(task));
    changed.notify_all();
  }
  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      while (tasks.empty()) changed.wait(lock);
      const auto task = std::move(tasks.front());
      if (!task) return;
      lock.unlock();
      task(this);
      lock.lock();
      tasks.pop_front();
      changed.notify_all();
    }
  }

  const int device;
  const unsigned context;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void(DeviceStream*)>> tasks;
  DeviceStatus status = DeviceStatus::kOk;  // of the first task that failed; guarded by mutex
  std::thread thread;
};

}  // namespace gpuctr

#endif
