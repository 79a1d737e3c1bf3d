#include "poplar/system/processor.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace ipumodel {
namespace {

cpu_set_t allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

TEST(Processor, AThreadLeavesThoseThatAreTaken) {
  const cpu_set_t before = allowed();
  if (CPU_COUNT(&before) < 2)
    GTEST_SKIP() << "there is no other processor";
  // The system may move the thread back at any time, but not every time.
  bool left = false;
  for (int i = 0; i < 1000 && !left; ++i) {
    const int taken = currentProcessor();
    leaveProcessors({taken});
    left = currentProcessor() != taken;
  }
  EXPECT_TRUE(left);
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "it may still use all";
}

TEST(Processor, AThreadStaysIfAllAreTaken) {
  const cpu_set_t before = allowed();
  std::vector<int> all;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    all.push_back(i);
  leaveProcessors(all);
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

} // namespace
} // namespace ipumodel
