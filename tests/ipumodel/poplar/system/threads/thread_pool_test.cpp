#include "poplar/system/thread_pool.hpp"

#include <gmock/gmock.h>
#include <numeric>
#include <stdexcept>

using ipumodel::ThreadPool;
using testing::Each;

namespace {

TEST(ThreadPool, EveryTaskRunsOnceHoweverManyThereAre) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.numThreads(), threads);
    for (const std::size_t tasks : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 1000u}) {
      std::vector<int> runs(tasks);
      pool.run(tasks, [&](std::size_t i) { ++runs[i]; });
      EXPECT_THAT(runs, Each(1)) << threads << " threads, " << tasks;
    }
  }
}

// Nothing but run() orders the batches.
TEST(ThreadPool, ABatchSeesWhatTheOneBeforeItWrote) {
  ThreadPool pool(4);
  std::vector<unsigned> values(64), sums(64);
  for (unsigned batch = 1; batch <= 200; ++batch) {
    pool.run(values.size(), [&](std::size_t i) { values[i] = batch; });
    pool.run(sums.size(), [&](std::size_t i) {
      sums[i] = std::accumulate(values.begin(), values.end(), 0u);
    });
    EXPECT_THAT(sums, Each(64 * batch));
  }
}

TEST(ThreadPool, ATasksExceptionIsThrownAndThePoolGoesOn) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run(100,
                        [](std::size_t i) {
                          if (i == 50)
                            throw std::runtime_error("task");
                        }),
               std::runtime_error);
  std::vector<int> runs(100);
  pool.run(runs.size(), [&](std::size_t i) { ++runs[i]; });
  EXPECT_THAT(runs, Each(1));
}

TEST(ThreadPool, PoolsWithoutWorkEnd) {
  for (int i = 0; i < 20; ++i)
    ThreadPool pool(4);
}

} // namespace
