// The threads an engine computes with.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ipumodel {

// Runs numbered tasks on the calling thread and its workers. Which thread runs
// a task is not determined, so tasks must not depend on it.
class ThreadPool {
public:
  explicit ThreadPool(unsigned numThreads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned numThreads() const {
    return static_cast<unsigned>(workers_.size()) + 1;
  }

  // Calls f(i) for i in [0, n) and returns when all are done. Does not
  // allocate. The first exception thrown by a task is thrown again here.
  template <class F> void run(std::size_t n, F &&f) {
    if (n == 0)
      return;
    if (n == 1 || workers_.empty()) {
      for (std::size_t i = 0; i < n; ++i)
        f(i);
      return;
    }
    runTasks(n, &f, [](void *function, std::size_t i) {
      (*static_cast<std::remove_reference_t<F> *>(function))(i);
    });
  }

  // IPUMODEL_THREADS, or the number of processors.
  static unsigned defaultThreads();

private:
  using Task = void (*)(void *function, std::size_t i);

  void runTasks(std::size_t n, void *function, Task task);
  void work();
  void claimTasks();

  std::vector<std::thread> workers_;

  // The current batch: written by run() while no task of it is running.
  void *function_ = nullptr;
  Task task_ = nullptr;
  std::size_t numTasks_ = 0;
  std::exception_ptr failure_; // guarded by mutex_

  std::atomic<std::size_t> nextTask_{0}; // counted down, below its batch
  std::atomic<std::uint64_t> batch_{0};  // counts batches; workers wait for it
  std::atomic<unsigned> active_{0};      // tasks that are not done yet
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
};

} // namespace ipumodel
