#include "poplar/thread_pool.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace ipumodel {

namespace {

// Long enough to bridge the gap between two steps of a program, short enough
// not to be seen in a process that waits for input.
constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

} // namespace

unsigned ThreadPool::defaultThreads() {
  if (const char *text = std::getenv("IPUMODEL_THREADS")) {
    char *end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 1 || value > 1024)
      throw poplar::invalid_option(
          "IPUMODEL_THREADS is '" + std::string(text) +
          "'; give a number of threads from 1 to 1024");
    return static_cast<unsigned>(value);
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(unsigned numThreads) {
  for (unsigned i = 1; i < numThreads; ++i)
    workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    ++batch_;
  }
  wake_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

void ThreadPool::runTasks(std::size_t n, void *function, Task task) {
  function_ = function;
  task_ = task;
  numTasks_ = n;
  nextTask_.store(0, std::memory_order_relaxed);
  active_.store(static_cast<unsigned>(workers_.size()),
                std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    batch_.fetch_add(1, std::memory_order_release);
  }
  wake_.notify_all();
  claimTasks();
  // Spinning without end would starve the very workers waited for when there
  // are more threads than processors.
  for (int spins = 0; active_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < kSpins)
      pause();
    else
      std::this_thread::yield();
  }
  if (failure_) {
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    std::rethrow_exception(failure);
  }
}

void ThreadPool::claimTasks() {
  try {
    for (std::size_t i;
         (i = nextTask_.fetch_add(1, std::memory_order_relaxed)) < numTasks_;)
      task_(function_, i);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_)
      failure_ = std::current_exception();
    nextTask_.store(numTasks_, std::memory_order_relaxed);
  }
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  for (;;) {
    for (int spins = 0;
         spins < kSpins && batch_.load(std::memory_order_acquire) == seen;
         ++spins)
      pause();
    if (batch_.load(std::memory_order_acquire) == seen) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(
          lock, [&] { return batch_.load(std::memory_order_acquire) != seen; });
    }
    ++seen;
    if (stopping_)
      return;
    claimTasks();
    active_.fetch_sub(1, std::memory_order_release);
  }
}

} // namespace ipumodel
