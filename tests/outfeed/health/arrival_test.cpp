#include "outfeed/health/arrival.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<Arrival> kArrivals = {
    {5, Update(3), "acts", false}, {0, Update(3), "grad", true},
    {1, Update(3), "grad", true},  {2, Update(3), "grad", true},
    {4, Update(3), "grad", true},  {3, Update(4), "grad", true}};

TEST(Arrival, ReplicasWithTheSameFateShareALine) {
  EXPECT_THAT(
      arrivalLines(kArrivals, {1, 0, 6}),
      ElementsAre("began here: replica 5, update 3, acts",
                  "received by a reduction: replicas 0 to 2, 4, update 3, grad",
                  "received by a reduction: replica 3, update 4, grad"));
}

TEST(Arrival, InstancesAreNamedIfThereAreSeveral) {
  EXPECT_THAT(arrivalLines(kArrivals, {3, 0, 6}),
              ElementsAre("began here: replica 5 (instance 2), update 3, acts",
                          "received by a reduction: replicas 0 to 2, 4 "
                          "(instances 0 to 2), update 3, grad",
                          "received by a reduction: replica 3 (instance 1), "
                          "update 4, grad"));
}

TEST(Arrival, JsonHasEachReplica) {
  const std::string json = toJson(kArrivals, {3, 0, 6});
  EXPECT_THAT(json, HasSubstr(R"({"replica": 5, "instance": 2, )"
                              R"("tensor": "acts", "update": 3, )"
                              R"("how": "began"})"));
  EXPECT_THAT(json, HasSubstr(R"("replica": 3, "instance": 1)"));
}

} // namespace
} // namespace popscope::outfeed
