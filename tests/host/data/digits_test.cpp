#include "host/command.hpp"
#include "host/data/digits.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kSeed = 1;

std::string row(unsigned pixel, unsigned label) {
  std::string text;
  for (int i = 0; i < 64; ++i)
    text += std::to_string(pixel) + ",";
  return text + std::to_string(label) + "\n";
}

std::string errorOf(const std::string &csv) {
  const tests::TempDir dir;
  dir.file("digits.csv", csv);
  try {
    readDigitsDirectory(dir.path().string(), kSeed);
  } catch (const BadInput &error) {
    return error.what();
  }
  return "no error";
}

TEST(Digits, BundledSetIsSplitThreeToOne) {
  const TrainingData data =
      readDigitsDirectory(std::string(POPSCOPE_DATA) + "/digits", kSeed);
  EXPECT_EQ(data.train.size(), 1347u);
  EXPECT_EQ(data.test.size(), 450u);
  EXPECT_EQ(data.train.imagePixels(), 64u);
  EXPECT_EQ(data.classes, 10u);
  EXPECT_EQ(
      *std::max_element(data.train.pixels.begin(), data.train.pixels.end()),
      16u);
}

TEST(Digits, SampleIsTheBeginningOfTheFile) {
  const TrainingData data =
      readDigitsDirectory(std::string(POPSCOPE_DATA) + "/digits", kSeed);
  EXPECT_EQ(data.sample.size(), 100u);
  // The writers wrote the digits in this order.
  for (unsigned i = 0; i < 30; ++i)
    EXPECT_EQ(data.sample.labels[i], i % 10);
}

TEST(Digits, ImagesAndLabelsStayTogether) {
  const tests::TempDir dir;
  std::string csv;
  for (unsigned i = 0; i < 10; ++i)
    csv += row(i, i);
  dir.file("digits.csv", csv);
  const TrainingData data = readDigitsDirectory(dir.path().string(), kSeed);
  ASSERT_EQ(data.train.size() + data.test.size(), 10u);
  for (const Dataset *set : {&data.train, &data.test})
    for (std::size_t i = 0; i < set->size(); ++i)
      EXPECT_EQ(set->image(i)[63], set->labels[i]);
}

TEST(Digits, BadRowsAreNamed) {
  const std::string good = row(1, 1) + row(2, 2) + row(3, 3);
  EXPECT_THAT(errorOf(good + row(17, 1)), HasSubstr("digits.csv: line 4: "));
  EXPECT_THAT(errorOf(good + row(1, 10)), HasSubstr("line 4"));
  EXPECT_THAT(errorOf(good + "1,2,3\n"), HasSubstr("expected 64 pixels"));
  EXPECT_THAT(errorOf("a" + good), HasSubstr("line 1"));
  EXPECT_THAT(errorOf(good), HasSubstr("3 rows are too few"));
  std::string longer = row(1, 1);
  longer.insert(longer.size() - 1, ",5");
  EXPECT_THAT(errorOf(longer),
              HasSubstr("expected 64 pixels and a label, found more"));
}

TEST(Digits, ABombIsNotUnpacked) {
  EXPECT_THAT(errorOf(std::string((1 << 26) + 1, '\n')),
              HasSubstr("holds more than 67108864 bytes"));
}

} // namespace
} // namespace popscope::host
