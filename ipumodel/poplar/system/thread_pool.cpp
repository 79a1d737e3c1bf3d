#include "poplar/system/thread_pool.hpp"

#include "poplar/system/processor.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace ipumodel {

namespace {

// Long enough for the gap between two steps of a program.
constexpr int kSpins = 4000;
// A few milliseconds, for the gap between two runs; short enough not to be
// noticed in a process that waits for input.
constexpr int kYields = 8000;

// The lower half of a word has the number of tasks, the upper half the batch.
constexpr int kCountBits = 32;
constexpr std::size_t kCountMask = (std::size_t(1) << kCountBits) - 1;

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

ThreadPool::ThreadPool(unsigned numThreads)
    : shares_(std::make_unique<Share[]>(numThreads)), numShares_(numThreads) {
  // A thread that begins to run late must not allocate then.
  for (unsigned i = 1; i < numThreads; ++i)
    workers_.emplace_back([this, processors = std::vector<int>(i)]() mutable {
      work(processors);
    });
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
  assert(n <= kCountMask && "more tasks than a batch can count");
  function_ = function;
  task_ = task;
  numTasks_ = n;
  active_.store(static_cast<unsigned>(n), std::memory_order_relaxed);
  shares_[0].processor.store(currentProcessor(), std::memory_order_relaxed);
  const std::uint64_t batch = batch_.load(std::memory_order_relaxed) + 1;
  for (unsigned share = 0; share < numShares_; ++share)
    shares_[share].unclaimed.store(
        (batch << kCountBits) | (firstTask(share + 1) - firstTask(share)),
        std::memory_order_release);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    batch_.store(batch, std::memory_order_release);
  }
  wake_.notify_all();
  claimTasks(0);
  // Waits only for tasks that were claimed, so not for a worker that was not
  // scheduled. Spinning forever would starve other threads if there are more
  // threads than processors.
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

std::size_t ThreadPool::firstTask(unsigned share) const {
  return (numTasks_ * share + numShares_ - 1) / numShares_;
}

void ThreadPool::claimTasks(unsigned thread) {
  for (unsigned share = thread; share < numShares_; ++share)
    claimShare(share);
  for (unsigned share = 0; share < thread; ++share)
    claimShare(share);
}

// A claim succeeds only while its batch has tasks left, and the batch lasts
// until all claimed tasks are reported done; so its description may be read
// after a claim, and only then.
void ThreadPool::claimShare(unsigned share) {
  std::atomic<std::size_t> &tasks = shares_[share].unclaimed;
  std::size_t unclaimed = tasks.load(std::memory_order_acquire);
  unsigned done = 0;
  while ((unclaimed & kCountMask) != 0) {
    if (!tasks.compare_exchange_weak(unclaimed, unclaimed - 1,
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      continue;
    const std::size_t left = unclaimed & kCountMask;
    const bool backwards = ((unclaimed >> kCountBits) & 1) != 0;
    try {
      task_(function_, backwards ? firstTask(share) + left - 1
                                 : firstTask(share + 1) - left);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failure_)
        failure_ = std::current_exception();
    }
    ++done;
    unclaimed = tasks.load(std::memory_order_acquire);
  }
  if (done)
    active_.fetch_sub(done, std::memory_order_release);
}

// A thread that has slept is often woken on the processor of the thread that
// wakes it. There it runs only when that one has used up its time, so that it
// is late for every batch, and schedulers leave it there for long.
void ThreadPool::leaveOthers(std::vector<int> &processors) {
  const std::size_t thread = processors.size();
  for (std::size_t i = 0; i < thread; ++i)
    processors[i] = shares_[i].processor.load(std::memory_order_relaxed);
  int own = currentProcessor();
  if (std::find(processors.begin(), processors.end(), own) !=
      processors.end()) {
    leaveProcessors(processors);
    own = currentProcessor();
  }
  shares_[thread].processor.store(own, std::memory_order_relaxed);
}

void ThreadPool::work(std::vector<int> &processors) {
  const auto thread = static_cast<unsigned>(processors.size());
  std::uint64_t seen = 0;
  for (;;) {
    for (int spins = 0; spins < kSpins + kYields &&
                        batch_.load(std::memory_order_acquire) == seen;
         ++spins) {
      if (spins < kSpins) {
        pause();
        continue;
      }
      leaveOthers(processors);
      std::this_thread::yield();
    }
    if (batch_.load(std::memory_order_acquire) == seen) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(
          lock, [&] { return batch_.load(std::memory_order_acquire) != seen; });
      lock.unlock();
      leaveOthers(processors);
    }
    seen = batch_.load(std::memory_order_acquire);
    if (stopping_)
      return;
    claimTasks(thread);
  }
}

} // namespace ipumodel
