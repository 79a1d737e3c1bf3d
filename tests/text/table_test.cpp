#include "text/table.hpp"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace popscope::text {
namespace {

using Dropped = std::vector<std::string>;

TEST(TextTable, NumbersWithThousandsAlignRight) {
  Table table({"name", "bytes"});
  table.add({"a", "12,345"});
  table.add({"b", "1"});
  std::ostringstream aligned;
  table.print(aligned, Layout::aligned);
  EXPECT_EQ(aligned.str(), "  name   bytes\n"
                           "  a     12,345\n"
                           "  b          1\n");
}

TEST(TextTable, InfinitiesAlignLikeNumbers) {
  Table table({"name", "max", "min"});
  table.add({"a", "inf", "-inf"});
  table.add({"b", "12.25", "1"});
  std::ostringstream aligned;
  table.print(aligned, Layout::aligned);
  EXPECT_EQ(aligned.str(), "  name    max   min\n"
                           "  a       inf  -inf\n"
                           "  b     12.25     1\n");
}

TEST(TextTable, TablesAlignOnATerminalAndHaveTabsInAPipe) {
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

TEST(TextTable, WideColumnsAreFoldedInANarrowTerminal) {
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

TEST(TextTable, HeadedItHasAHeadingInAPipe) {
  Table table({"tag", "values"});
  table.add({"loss", "7"});
  std::ostringstream text;
  table.print(text, Layout::headed);
  EXPECT_EQ(text.str(), "tag\tvalues\nloss\t7\n");
}

TEST(TextTable, ColumnsAreDroppedInTheOrderGivenUntilTheRestFits) {
  Table table({"tag", "values", "kind", "bytes"});
  table.add({"loss", "7", "scalars", "1234"});
  EXPECT_EQ(table.dropToFit(30, {"kind"}), Dropped{}) << "as wide as it is";
  EXPECT_EQ(table.dropToFit(29, {"bytes", "none", "kind"}), Dropped{"bytes"});
  EXPECT_EQ(table.dropToFit(10, {"kind"}), Dropped{"kind"});
  std::ostringstream text;
  table.print(text, Layout::aligned);
  EXPECT_EQ(text.str(), "  tag   values\n"
                        "  loss       7\n");
}

} // namespace
} // namespace popscope::text
