#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>
#include <limits>

using namespace poplar;
using operators::Bench;
using poplar::program::Execute;
using poputil::poplibs_error;
using testing::ElementsAre;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int kMax = std::numeric_limits<int>::max();
constexpr int kMin = std::numeric_limits<int>::min();

} // namespace

TEST(Cast, CutsFloatsTowardsZeroAndKeepsThemInRange) {
  Bench b;
  const Tensor x = b.floats(
      {9}, {1.9f, -1.9f, -0.5f, 3e9f, -3e9f, kInf, -kInf, kNaN, 2147483520.f});
  EXPECT_THAT(b.result<int>(popops::cast(b.graph, x, INT, b.prog)),
              ElementsAre(1, -1, 0, kMax, kMin, kMax, kMin, 0, 2147483520));
}

TEST(Cast, OfHalvesToSmallIntegers) {
  Bench b;
  const Tensor x = b.halves({4}, {-129, 127.5f, 65504, -1});
  const Tensor chars = popops::cast(b.graph, x, SIGNED_CHAR, b.prog);
  const Tensor shorts = popops::cast(b.graph, x, UNSIGNED_SHORT, b.prog);
  const std::string first = b.watch(chars), second = b.watch(shorts);
  b.run();
  EXPECT_THAT(b.read<std::int8_t>(first, 4), ElementsAre(-128, 127, 127, -1));
  EXPECT_THAT(b.read<std::uint16_t>(second, 4), ElementsAre(0, 127, 65504, 0));
}

TEST(Cast, BetweenIntAndUnsignedKeepsTheBits) {
  Bench b;
  const Tensor x = b.ints({2}, {-1, 5});
  EXPECT_THAT(
      b.result<unsigned>(popops::cast(b.graph, x, UNSIGNED_INT, b.prog)),
      ElementsAre(0xFFFFFFFFu, 5u));
}

TEST(Cast, ToBoolIsTrueForAllButZero) {
  Bench b;
  const Tensor x = b.floats({4}, {0, -0.0f, 0.25f, kNaN});
  const Tensor i = b.ints({3}, {0, 256, -1});
  const Tensor fromFloat = popops::cast(b.graph, x, BOOL, b.prog);
  const Tensor fromInt = popops::cast(b.graph, i, BOOL, b.prog);
  const Tensor back = popops::cast(b.graph, fromInt, FLOAT, b.prog);
  const std::string first = b.watch(fromFloat), second = b.watch(fromInt),
                    third = b.watch(back);
  b.run();
  EXPECT_THAT(b.read<std::uint8_t>(first, 4), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(b.read<std::uint8_t>(second, 3), ElementsAre(0, 1, 1));
  EXPECT_THAT(b.read<float>(third, 3), ElementsAre(0, 1, 1));
}

TEST(Cast, ToHalfRoundsToNearestEven) {
  Bench b;
  const Tensor x = b.floats({5}, {2049, 2051, 65519, 65520, 1e-8f});
  EXPECT_THAT(b.floatsOf(popops::cast(b.graph, x, HALF, b.prog)),
              ElementsAre(2048, 2052, 65504, kInf, 0));
}

TEST(Cast, OfOneTypeIsACopy) {
  Bench b;
  const Tensor x = b.floats({2, 2}, {1, 2, 3, 4});
  const Tensor y = popops::cast(b.graph, x.transpose(), FLOAT, b.prog);
  popops::mulInPlace(b.graph, x, 0.0f, b.prog);
  EXPECT_THAT(b.floatsOf(y), ElementsAre(1, 3, 2, 4));
}

TEST(Cast, ToLongLongIsForIntegersOnly) {
  Bench b;
  const Tensor i = b.ints({1}, {-7}), f = b.floats({1}, {1});
  const Tensor wide = popops::cast(b.graph, i, LONGLONG, b.prog);
  EXPECT_THAT(b.result<long long>(wide), ElementsAre(-7));
  EXPECT_THROW(popops::cast(b.graph, f, LONGLONG, b.prog), poplibs_error);
  EXPECT_THROW(popops::cast(b.graph, wide, INT, b.prog), poplibs_error);
  EXPECT_NO_THROW(popops::cast(b.graph, wide, UNSIGNED_LONGLONG, b.prog));
}

TEST(Cast, RefusesOtherShapes) {
  Bench b;
  const Tensor x = b.floats({2, 3}, {}), y = b.ints({3, 2}, {});
  EXPECT_THROW(popops::castWithOutput(b.graph, x, y, b.prog), poplibs_error);
  EXPECT_THROW(popops::cast(b.graph, x, x.transpose()), poplibs_error);
}

TEST(Cast, AProgramRunsWhereItIsAdded) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.ints({2}, {0, 0});
  const program::Program toInt = popops::cast(b.graph, x, y);
  popops::mulInPlace(b.graph, x, 10.0f, b.prog);
  b.prog.add(toInt);
  EXPECT_THAT(b.result<int>(y), ElementsAre(10, 20));
}

TEST(Cast, InAComputeSetSeesWhatWasThereBefore) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 2, 3}), y = b.ints({3}, {7, 8, 9});
  const ComputeSet cs = b.graph.addComputeSet("casts");
  // Added first, but must run last: the other one reads its output.
  popops::cast(b.graph, x, y, cs);
  const Tensor old = popops::cast(b.graph, y, FLOAT, cs);
  b.prog.add(Execute(cs));
  const std::string first = b.watch(y), second = b.watch(old);
  b.run();
  EXPECT_THAT(b.read<int>(first, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(b.read<float>(second, 3), ElementsAre(7, 8, 9));
}

TEST(Cast, OfQuartersFollowsTheirMetadata) {
  for (const auto &[format, largest] :
       {std::pair(QuarterMetadata::Format::F143, 240.0f),
        std::pair(QuarterMetadata::Format::F152, 57344.0f)}) {
    Bench b;
    const Tensor metadata =
        poputil::createVariableMetadataTensor(b.graph, format, 1);
    // Twice the range of the format, including the scale.
    const Tensor x = b.floats({4}, {1, -0.75f, 2 * largest, 1e9f});
    const Tensor quarters = popops::cast(b.graph, x, QUARTER, metadata, b.prog);
    const Tensor y = popops::cast(b.graph, quarters, FLOAT, b.prog);
    const std::vector<float> values = b.floatsOf(y);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], -0.75f);
    EXPECT_EQ(values[2], 2 * largest);
    EXPECT_TRUE(std::isnan(values[3]));
    EXPECT_THROW(popops::cast(b.graph, x, QUARTER, b.prog), poplibs_error);
    EXPECT_THROW(popops::cast(b.graph, x, HALF, metadata, b.prog),
                 poplibs_error);
  }
}

TEST(Cast, BetweenQuartersAndBytes) {
  Bench b;
  const Tensor metadata = poputil::createVariableMetadataTensor(
      b.graph, QuarterMetadata::Format::F143, 1);
  const Tensor x = b.floats({7}, {1, -2.5f, 3.75f, -0.5f, 120, 480, -480});
  const Tensor quarters = popops::cast(b.graph, x, QUARTER, metadata, b.prog);
  const Tensor bytes = popops::cast(b.graph, quarters, SIGNED_CHAR, b.prog);
  const Tensor chars = popops::cast(b.graph, quarters, CHAR, b.prog);
  const Tensor positive =
      popops::cast(b.graph, quarters, UNSIGNED_CHAR, b.prog);
  const std::string first = b.watch(bytes), second = b.watch(positive),
                    third = b.watch(chars);
  // And back, ties to even.
  const Tensor y = b.tensor<int>(SIGNED_CHAR, {4}, {-3, 17, 100, -128});
  const Tensor rounded =
      popops::cast(b.graph, popops::cast(b.graph, y, QUARTER, metadata, b.prog),
                   FLOAT, b.prog);
  const Tensor z = b.tensor<unsigned>(UNSIGNED_CHAR, {2}, {200, 3});
  const Tensor unsigneds =
      popops::cast(b.graph, popops::cast(b.graph, z, QUARTER, metadata, b.prog),
                   FLOAT, b.prog);
  const std::string fourth = b.watch(unsigneds);
  EXPECT_THAT(b.floatsOf(rounded), ElementsAre(-3, 16, 96, -128));
  EXPECT_THAT(b.read<float>(fourth, 2), ElementsAre(192, 3));
  EXPECT_THAT(b.read<std::int8_t>(first, 7),
              ElementsAre(1, -2, 3, 0, 120, 127, -128));
  EXPECT_THAT(b.read<std::uint8_t>(second, 7),
              ElementsAre(1, 0, 3, 0, 120, 255, 0));
  EXPECT_THAT(b.read<std::int8_t>(third, 7),
              ElementsAre(1, -2, 3, 0, 120, 127, -128));
  EXPECT_THROW(popops::cast(b.graph, quarters, INT, b.prog), poplibs_error);
  EXPECT_THROW(popops::cast(b.graph, quarters, BOOL, b.prog), poplibs_error);
}
