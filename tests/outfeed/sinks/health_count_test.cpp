#include "outfeed/sinks/health_count.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace popscope::outfeed {
namespace {

TensorSample sampleOf(const std::vector<float> &values) {
  return sampleOfFloats(values);
}

TEST(HealthCount, CountsEachKindOfBadElementAndWhenItBegan) {
  Tap bad, good;
  bad.id = TapId(1);
  bad.tensor.name = "dense_acts";
  good.tensor.name = "input";
  HealthCount health;
  for (std::uint32_t update = 0; update < 4; ++update) {
    health.take(good, Update(update), sampleOf({1.0f, 2.0f}));
    health.take(bad, Update(update),
                update < 2 ? sampleOf({0.0f, 1.0f, 2.0f, 3.0f})
                           : sampleOf({NAN, INFINITY, -INFINITY,
                                       std::numeric_limits<float>::max()}));
  }
  const auto rows = health.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].tag, "input");
  EXPECT_TRUE(rows[0].isHealthy());
  EXPECT_EQ(rows[0].samples, 4u);
  EXPECT_EQ(rows[1].tag, "dense_acts");
  EXPECT_FALSE(rows[1].isHealthy());
  EXPECT_EQ(rows[1].nan, 2u);
  EXPECT_EQ(rows[1].infinite, 4u);
  EXPECT_EQ(rows[1].saturated, 2u);
  EXPECT_EQ(rows[1].firstBad->value(), 2u);
}

TEST(HealthCount, ReplicasAreOneTensor) {
  Tap tap;
  tap.tensor.name = "loss";
  HealthCount health;
  for (unsigned replica = 0; replica < 2; ++replica) {
    tap.origin = SampleOrigin{replica, 0};
    health.take(tap, Update(3), sampleOf({NAN}));
  }
  ASSERT_EQ(health.rows().size(), 1u);
  EXPECT_EQ(health.rows()[0].nan, 2u);
  EXPECT_EQ(health.rows()[0].tag, "loss");
}

} // namespace
} // namespace popscope::outfeed
