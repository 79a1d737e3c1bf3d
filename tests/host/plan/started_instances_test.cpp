#include "host/command.hpp"
#include "host/plan/started_instances.hpp"
#include "tests/support/scoped_env.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;

std::string error() {
  try {
    startedSlice();
  } catch (const BadInput &bad) {
    return bad.what();
  }
  return "";
}

TEST(StartedInstances, AloneOrUnderMpirunThereIsNoSlice) {
  EXPECT_FALSE(startedSlice());
  const ScopedEnv one("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_FALSE(startedSlice());
}

TEST(StartedInstances, ProcessesThatDoNotKnowOfEachOtherAreRefused) {
  const ScopedEnv four("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_THAT(error(), HasSubstr("mpirun has started 4 processes"));
  EXPECT_THAT(error(), HasSubstr("POPDIST_NUM_TOTAL_REPLICAS"));
  EXPECT_THAT(error(), HasSubstr("start them with poprun"));
}

TEST(StartedInstances, TheSliceIsThatOfTheVariables) {
  const ScopedEnv processes("OMPI_COMM_WORLD_SIZE", "2");
  const ScopedEnv total("POPDIST_NUM_TOTAL_REPLICAS", "6");
  const ScopedEnv local("POPDIST_NUM_LOCAL_REPLICAS", "2");
  const ScopedEnv offset("POPDIST_REPLICA_INDEX_OFFSET", "4");
  const auto slice = startedSlice();
  ASSERT_TRUE(slice);
  EXPECT_EQ(slice->instances, 3u);
  EXPECT_EQ(slice->instance, 2u);
  EXPECT_EQ(slice->replicas, 6u);
  EXPECT_EQ(slice->localReplicas(), 2u);
  EXPECT_EQ(slice->firstReplica(), 4u);
  EXPECT_EQ(slice->instanceOf(3), 1u);
  EXPECT_FALSE(slice->isFirst());
}

TEST(StartedInstances, AVariableThatCannotBeReadIsNamed) {
  const ScopedEnv total("POPDIST_NUM_TOTAL_REPLICAS", "4");
  const ScopedEnv local("POPDIST_NUM_LOCAL_REPLICAS", "three");
  EXPECT_THAT(error(), HasSubstr("POPDIST_NUM_LOCAL_REPLICAS"));
}

} // namespace
} // namespace popscope::host
