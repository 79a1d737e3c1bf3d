#include "text/sparkline.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace popscope::text {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string lineOf(const std::vector<double> &values, std::size_t columns,
                   Alphabet alphabet = Alphabet::ascii) {
  Sparkline line(values.size(), columns);
  for (const double value : values)
    line.add(value);
  return line.text(alphabet);
}

TEST(Sparkline, RisesFromTheLowestToTheHighestValue) {
  const std::vector<double> rising = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(lineOf(rising, 8), "_.:-=+*#");
  EXPECT_EQ(lineOf(rising, 8, Alphabet::utf8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(lineOf({7, 0}, 8), "#_");
}

TEST(Sparkline, ManyValuesShareTheCellsEvenly) {
  std::vector<double> values(100, 0.0);
  for (std::size_t i = 50; i < 100; ++i)
    values[i] = 1;
  EXPECT_EQ(lineOf(values, 10), "_____#####");
}

TEST(Sparkline, ACellIsTheMeanOfItsValues) {
  EXPECT_EQ(lineOf({0, 0, 1, 7, 8, 8}, 3), "_=#");
}

TEST(Sparkline, ValuesThatAreNotFiniteAreMarkedAndDoNotChangeTheScale) {
  EXPECT_EQ(lineOf({0, std::nan(""), 8, kInfinity, 8}, 8), "_x#x#");
  EXPECT_EQ(lineOf({0, 0, 8, -kInfinity}, 2), "_x");
  EXPECT_EQ(lineOf({std::nan(""), std::nan("")}, 8), "xx");
}

TEST(Sparkline, ASeriesWithoutChangeIsFlat) {
  EXPECT_EQ(lineOf({3, 3, 3}, 8), ":::");
  EXPECT_EQ(lineOf({}, 8), "");
}

TEST(Sparkline, TheLargestNumbersDoNotOverflow) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(lineOf({-most, -most, 0, 0, most, most}, 3), "_=#");
}

TEST(Sparkline, TheFirstVariableOfTheLocaleThatIsSetDecides) {
  const auto alphabet = [](const char *all, const char *type,
                           const char *lang) {
    ::setenv("LC_ALL", all, 1);
    ::setenv("LC_CTYPE", type, 1);
    ::setenv("LANG", lang, 1);
    return alphabetOfTerminal();
  };
  EXPECT_EQ(alphabet("", "", "en_GB.UTF-8"), Alphabet::utf8);
  EXPECT_EQ(alphabet("", "C.utf8", "C"), Alphabet::utf8);
  EXPECT_EQ(alphabet("C", "C.utf8", "en_GB.UTF-8"), Alphabet::ascii);
  EXPECT_EQ(alphabet("", "", ""), Alphabet::ascii);
}

} // namespace
} // namespace popscope::text
