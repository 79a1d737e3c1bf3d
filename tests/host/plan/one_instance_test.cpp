#include "host/command.hpp"
#include "host/plan/one_instance.hpp"
#include "tests/support/scoped_env.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;

std::string error() {
  try {
    requireOneInstance();
  } catch (const BadInput &bad) {
    return bad.what();
  }
  return "";
}

TEST(OneInstance, AloneOrUnderMpirunATrainingRuns) {
  EXPECT_EQ(error(), "");
  const ScopedEnv one("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_EQ(error(), "");
}

TEST(OneInstance, ProcessesThatDoNotKnowOfEachOtherAreRefused) {
  const ScopedEnv four("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_THAT(error(), HasSubstr("mpirun has started 4 processes"));
  EXPECT_THAT(error(), HasSubstr("POPDIST_NUM_TOTAL_REPLICAS"));
  EXPECT_THAT(error(), HasSubstr("start them with poprun"));
}

TEST(OneInstance, SeveralInstancesAreRefused) {
  const ScopedEnv four("OMPI_COMM_WORLD_SIZE", "2");
  const ScopedEnv total("POPDIST_NUM_TOTAL_REPLICAS", "4");
  {
    const ScopedEnv local("POPDIST_NUM_LOCAL_REPLICAS", "4");
    EXPECT_EQ(error(), "");
  }
  const ScopedEnv local("POPDIST_NUM_LOCAL_REPLICAS", "2");
  EXPECT_THAT(error(), HasSubstr("--replicas 4 without poprun"));
}

} // namespace
} // namespace popscope::host
