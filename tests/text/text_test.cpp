#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <sstream>

namespace popscope::text {
namespace {

TEST(TextOutput, NumbersAreTheShortestThatReadBackInPythonsSpelling) {
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

TEST(TextOutput, NumbersThatAreNotFiniteAreWords) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pythonNumber(-infinity), "-inf");
  EXPECT_EQ(pythonNumber(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(jsonNumber(-infinity), "\"-Infinity\"");
  EXPECT_EQ(jsonNumber(std::numeric_limits<double>::quiet_NaN()), "\"NaN\"");
}

TEST(TextOutput, StringsStayOneValueWhateverTheyHold) {
  EXPECT_EQ(jsonString("a\"b\\c\n\xff"), "\"a\\\"b\\\\c\\u000a\xef\xbf\xbd\"");
  EXPECT_EQ(csvCell("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csvCell("plain"), "plain");
  EXPECT_EQ(oneLine("a\tb\x1b"), "a\\u0009b\\u001b");
}

TEST(TextOutput, NumbersWithThousandsAlignRight) {
  Table table({"name", "bytes"});
  table.add({"a", "12,345"});
  table.add({"b", "1"});
  std::ostringstream aligned;
  table.print(aligned, Layout::aligned);
  EXPECT_EQ(aligned.str(), "  name   bytes\n"
                           "  a     12,345\n"
                           "  b          1\n");
}

TEST(TextOutput, TablesAlignOnATerminalAndHaveTabsInAPipe) {
  Table table({"tag", "values"});
  table.add({"loss", "7"});
  table.add({"gr\xc3\xb6\xc3\x9f"
             "e",
             "1234567"});
  std::ostringstream aligned;
  table.print(aligned, Layout::aligned);
  EXPECT_EQ(aligned.str(), "  tag     values\n"
                           "  loss         7\n"
                           "  gr\xc3\xb6\xc3\x9f"
                           "e  1234567\n");
  std::ostringstream plain;
  table.print(plain, Layout::plain);
  EXPECT_EQ(plain.str(), "loss\t7\ngr\xc3\xb6\xc3\x9f"
                         "e\t1234567\n");
}

TEST(TextOutput, WideColumnsAreFoldedInANarrowTerminal) {
  Table table({"kind", "tag", "values"});
  table.add({"scalars", "Dense_128/kernel/mean", "7"});
  table.add({"scalars",
             "gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f"
             "eeeeeeeeee",
             "1234567"});
  const auto printed = [&](std::size_t columns) {
    std::ostringstream text;
    table.print(text, Layout::aligned, columns);
    return text.str();
  };
  const std::string whole = printed(std::string::npos);
  EXPECT_EQ(printed(41), whole) << "as wide as it is";
  EXPECT_EQ(printed(32),
            "  kind     tag            values\n"
            "  scalars  Dense_128/          7\n"
            "           kernel/mean\n"
            "  scalars  gr\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f\xc3\xb6\xc3\x9f"
            "eeee  1234567\n"
            "           eeeeee\n");
  EXPECT_EQ(printed(31), whole) << "the terminal breaks the lines";
}

} // namespace
} // namespace popscope::text
