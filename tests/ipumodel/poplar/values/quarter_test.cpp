#include "poplar/values/quarter.hpp"

#include <poplar/Quarter.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <vector>

using poplar::QUARTER;
using poplar::QuarterMetadata;
using Format = poplar::QuarterMetadata::Format;

// As programs do that read formats from options: poplar has no such operators,
// with which these would be ambiguous.
namespace std {
ostream &operator<<(ostream &os, const Format &format) {
  return os << (format == Format::F143 ? "F143" : "F152");
}
istream &operator>>(istream &is, Format &format) {
  string name;
  is >> name;
  format = name == "F143" ? Format::F143 : Format::F152;
  return is;
}
} // namespace std

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint8_t toQuarter(float value, const QuarterMetadata &metadata,
                       bool nanOnOverflow = true) {
  std::uint8_t bits = 0;
  poplar::convertToDeviceType(QUARTER, metadata,
                              gccs::ArrayRef<float>(&value, 1), &bits,
                              nanOnOverflow);
  return bits;
}

float fromQuarter(std::uint8_t bits, const QuarterMetadata &metadata) {
  float value = 0;
  poplar::convertFromDeviceType(QUARTER, metadata, &bits,
                                gccs::ArrayRef<float>(&value, 1));
  return value;
}

class EveryFormatAndScale : public testing::TestWithParam<QuarterMetadata> {};

TEST_P(EveryFormatAndScale, EveryPatternSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < 256; ++bits)
    EXPECT_EQ(
        toQuarter(fromQuarter(std::uint8_t(bits), GetParam()), GetParam()),
        bits);
}

TEST_P(EveryFormatAndScale, BetweenNeighboursTiesGoToEven) {
  for (unsigned low = 0; low < 0x7f; ++low) {
    const float a = fromQuarter(std::uint8_t(low), GetParam());
    const float b = fromQuarter(std::uint8_t(low + 1), GetParam());
    ASSERT_LT(a, b);
    const float middle = (a + b) / 2;
    const unsigned even = low % 2 == 0 ? low : low + 1;
    EXPECT_EQ(toQuarter(middle, GetParam()), even) << low;
    EXPECT_EQ(toQuarter(std::nextafter(middle, 0.0f), GetParam()), low);
    EXPECT_EQ(toQuarter(std::nextafter(middle, kInfinity), GetParam()),
              low + 1);
  }
}

TEST_P(EveryFormatAndScale, MetadataSurvivesItsBinaryForm) {
  EXPECT_EQ(ipumodel::quarterMetadataFromBinary(GetParam().getBinary()),
            GetParam());
}

INSTANTIATE_TEST_SUITE_P(Quarter, EveryFormatAndScale,
                         testing::Values(QuarterMetadata(Format::F143, 0),
                                         QuarterMetadata(Format::F143, -32),
                                         QuarterMetadata(Format::F143, 31),
                                         QuarterMetadata(Format::F152, 0),
                                         QuarterMetadata(Format::F152, -32),
                                         QuarterMetadata(Format::F152, 31)));

TEST(Quarter, LargestValuesAreThoseOfTheFormat) {
  EXPECT_EQ(fromQuarter(0x7f, {Format::F143, 0}), 240);
  EXPECT_EQ(fromQuarter(0x7f, {Format::F152, 0}), 57344);
  EXPECT_EQ(fromQuarter(0xff, {Format::F143, 0}), -240);
}

TEST(Quarter, SmallestValuesAreSubnormal) {
  EXPECT_EQ(fromQuarter(0x01, {Format::F143, 0}), 0x1p-10f);
  EXPECT_EQ(fromQuarter(0x01, {Format::F152, 0}), 0x1p-17f);
}

TEST(Quarter, ScaleIsAPowerOfTwoOnTheValue) {
  EXPECT_EQ(fromQuarter(0x7f, {Format::F143, 3}), 240 * 8);
  EXPECT_EQ(toQuarter(240 * 8, {Format::F143, 3}), 0x7f);
}

TEST(Quarter, OverflowIsNanUnlessSaturating) {
  const QuarterMetadata metadata(Format::F143, 0);
  EXPECT_TRUE(std::isnan(fromQuarter(toQuarter(1000, metadata), metadata)));
  EXPECT_EQ(fromQuarter(toQuarter(1000, metadata, false), metadata), 240);
  EXPECT_EQ(fromQuarter(toQuarter(-1000, metadata, false), metadata), -240);
}

TEST(Quarter, InfinitiesAndNanAreNanEvenWhenSaturating) {
  const QuarterMetadata metadata(Format::F152, 0);
  for (const float value : {kInfinity, -kInfinity, std::nanf("")})
    EXPECT_EQ(toQuarter(value, metadata, false), 0x80);
}

TEST(Quarter, ThereIsNoNegativeZero) {
  EXPECT_EQ(toQuarter(-0.0f, {Format::F143, 0}), 0x00);
  EXPECT_EQ(toQuarter(-1e-9f, {Format::F143, 0}), 0x00);
}

TEST(QuarterMetadata, RefusesScalesOfMoreThanSixBits) {
  EXPECT_THROW(QuarterMetadata(Format::F143, 32), poplar::overflow_error);
  EXPECT_THROW(QuarterMetadata(Format::F143, -33), poplar::overflow_error);
}

TEST(QuarterMetadata, FormatsUseTheStreamOperatorsOfTheProgram) {
  for (const Format format : {Format::F143, Format::F152}) {
    std::stringstream stream;
    stream << format;
    Format read = format == Format::F143 ? Format::F152 : Format::F143;
    stream >> read;
    EXPECT_EQ(read, format);
  }
}

TEST(QuarterMetadata, IsPrintedAsFormatAndScale) {
  const QuarterMetadata metadata(Format::F152, -3);
  EXPECT_EQ(metadata.toString(), "F152 * 2^-3");
  std::ostringstream stream;
  stream << metadata;
  EXPECT_EQ(stream.str(), metadata.toString());
  EXPECT_EQ(QuarterMetadata(Format::F143, 31).toString(), "F143 * 2^31");
}

} // namespace
