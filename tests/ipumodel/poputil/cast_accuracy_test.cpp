#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gtest/gtest.h>

using namespace poputil;
using namespace poplar;

namespace {

const Target &target() {
  static const Target ipu = Target::createIPUTarget(1, "ipu2");
  return ipu;
}

TEST(CastAccuracy, HalfValuesAreRoundedToElevenBits) {
  EXPECT_EQ(castToDeviceHalfValue(target(), 0.5), 0.5);
  EXPECT_EQ(castToDeviceHalfValue(target(), 2049.0), 2048.0);
  EXPECT_EQ(castToDeviceHalfValue(target(), 2051.0), 2052.0);
  EXPECT_EQ(castToDeviceHalfValue(target(), -std::ldexp(1, -24)),
            -std::ldexp(1, -24));
}

TEST(CastAccuracy, OnlyErrorsBelowTheToleranceAreAccurate) {
  // 2049 becomes 2048: an error of 1 / 2049.
  EXPECT_TRUE(checkAccuracyWhenCast(target(), 2049, FLOAT, HALF, 1.0 / 2048));
  EXPECT_FALSE(checkAccuracyWhenCast(target(), 2049, FLOAT, HALF, 1.0 / 2050));
  EXPECT_TRUE(checkAccuracyWhenCast(target(), 0.25, FLOAT, HALF, 1e-6));
  EXPECT_FALSE(checkAccuracyWhenCast(target(), 0.1, FLOAT, HALF, 1e-6));
}

TEST(CastAccuracy, OverflowAndNaNAreNotAccurate) {
  EXPECT_FALSE(checkAccuracyWhenCast(target(), 1e6, FLOAT, HALF, 0.5));
  EXPECT_FALSE(checkAccuracyWhenCast(target(), NAN, FLOAT, HALF, 0.5));
}

TEST(CastAccuracy, WideningIsAlwaysAccurate) {
  EXPECT_TRUE(checkAccuracyWhenCast(target(), 0.1, HALF, FLOAT, 0));
}

TEST(CastAccuracy, OtherTypesThrow) {
  EXPECT_THROW(checkAccuracyWhenCast(target(), 1, INT, HALF, 1), poplibs_error);
  EXPECT_THROW(checkAccuracyWhenCast(target(), 1, HALF, HALF, 1),
               poplibs_error);
}

} // namespace
