#include "text/number_text.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::text {
namespace {

TEST(NumberText, OrdinalsEndAsInEnglish) {
  EXPECT_EQ(ordinal(1), "1st");
  EXPECT_EQ(ordinal(2), "2nd");
  EXPECT_EQ(ordinal(3), "3rd");
  EXPECT_EQ(ordinal(5), "5th");
  EXPECT_EQ(ordinal(11), "11th");
  EXPECT_EQ(ordinal(112), "112th");
  EXPECT_EQ(ordinal(101), "101st");
}

TEST(NumberText, NumbersAreTheShortestThatReadBackInPythonsSpelling) {
  EXPECT_EQ(pythonNumber(0.0), "0.0");
  EXPECT_EQ(pythonNumber(-0.0), "-0.0");
  EXPECT_EQ(pythonNumber(1.0), "1.0");
  EXPECT_EQ(pythonNumber(-12.5), "-12.5");
  EXPECT_EQ(pythonNumber(0.1), "0.1");
  EXPECT_EQ(pythonNumber(0.1F), "0.10000000149011612");
  EXPECT_EQ(pythonNumber(0.0001), "0.0001");
  EXPECT_EQ(pythonNumber(0.00001), "1e-05");
  EXPECT_EQ(pythonNumber(1e15), "1000000000000000.0");
  EXPECT_EQ(pythonNumber(1e16), "1e+16");
  EXPECT_EQ(pythonNumber(1.5e300), "1.5e+300");
  EXPECT_EQ(pythonNumber(1600000001.25), "1600000001.25");
  EXPECT_EQ(pythonNumber(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(pythonNumber(std::numeric_limits<double>::max()),
            "1.7976931348623157e+308");
}

TEST(NumberText, NumbersThatAreNotFiniteAreWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pythonNumber(-infinity), "-inf");
  EXPECT_EQ(pythonNumber(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(jsonNumber(-infinity), "\"-Infinity\"");
  EXPECT_EQ(jsonNumber(std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
}

TEST(NumberText, CountsWithANoun) {
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(1200, "record"), "1,200 records");
}

TEST(NumberText, HasAsManySignificantDigitsAsAskedFor) {
  EXPECT_EQ(significant(31.0, 2), "31");
  EXPECT_EQ(significant(21345.0, 2), "2.1e4");
  EXPECT_EQ(significant(0.00213, 2), "0.0021");
  EXPECT_EQ(significant(1.5e-7, 2), "1.5e-7");
  EXPECT_EQ(significant(3.4e38, 2), "3.4e38");
  EXPECT_EQ(significant(INFINITY, 2), "inf");
}

} // namespace
} // namespace popscope::text
