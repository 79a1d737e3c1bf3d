// The threads an engine computes with.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ipumodel {

// Runs numbered tasks on the calling thread and its workers. Which thread runs
// a task is not determined, so results must not depend on it. A thread prefers
// the tasks it had in the last batch of as many, beginning with the latest,
// since their data may still be in its cache.
class ThreadPool {
public:
  explicit ThreadPool(unsigned numThreads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned numThreads() const {
    return static_cast<unsigned>(workers_.size()) + 1;
  }

  // Calls f(i) for i in [0, n), in any order, and returns when all are done.
  // Does not allocate. Rethrows the first exception thrown by a task.
  template <class F> void run(std::size_t n, F &&f) {
    if (n == 0)
      return;
    if (n == 1) {
      f(0);
      return;
    }
    if (workers_.empty()) {
      // Alternating directions, see claimShare(): the data touched last in one
      // batch are still in the cache for the next.
      const bool backwards = (++batch_ & 1) != 0;
      for (std::size_t i = 0; i < n; ++i)
        f(backwards ? n - 1 - i : i);
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
  static constexpr std::size_t kCacheLine = 64;

  // A range of the tasks of a batch. Its own thread claims them first, then
  // others do.
  struct alignas(kCacheLine) Share {
    std::atomic<std::size_t> unclaimed{0}; // upper bits: batch
    std::atomic<int> processor{-1};        // its thread was last seen on
  };

  void runTasks(std::size_t n, void *function, Task task);
  // On its own thread; `processors` has room for those of the threads before
  // it.
  void work(std::vector<int> &processors);
  void leaveOthers(std::vector<int> &processors);
  void claimTasks(unsigned thread);
  void claimShare(unsigned share);
  // The first task of a share; for the number of shares, the end.
  std::size_t firstTask(unsigned share) const;

  std::vector<std::thread> workers_; // threads 1 and up
  std::unique_ptr<Share[]> shares_;  // by thread
  unsigned numShares_;

  // The current batch: run() writes these while none of its tasks is running.
  void *function_ = nullptr;
  Task task_ = nullptr;
  std::size_t numTasks_ = 0;
  std::exception_ptr failure_; // guarded by mutex_

  std::atomic<std::uint64_t> batch_{0}; // counts batches; workers wait for it
  std::atomic<bool> stopping_{false};
  // Tasks of the current batch that are not done yet.
  alignas(kCacheLine) std::atomic<unsigned> active_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
};

} // namespace ipumodel
