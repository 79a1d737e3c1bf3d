#include "text/folded.hpp"

#include <gtest/gtest.h>

namespace popscope::text {
namespace {

TEST(Folded, LinesThatFitAreLeftAlone) {
  EXPECT_EQ(folded("one two three", 13), "one two three");
  EXPECT_EQ(folded("one two three", std::string::npos), "one two three");
  EXPECT_EQ(folded("", 5), "");
}

TEST(Folded, BreaksBetweenWordsAndIndentsTheRest) {
  EXPECT_EQ(folded("one two three", 12), "one two\n  three");
  EXPECT_EQ(folded("one two three four", 9), "one two\n  three\n  four");
  EXPECT_EQ(folded("one two three", 12, ""), "one two\nthree");
}

TEST(Folded, BlanksInFrontStay) {
  EXPECT_EQ(folded("  one two three", 9), "  one two\n  three");
}

TEST(Folded, AWordThatIsTooLongHasALineOfItsOwn) {
  EXPECT_EQ(folded("a incomprehensible b", 8), "a\n  incomprehensible\n  b");
}

TEST(Folded, PartsStayTogetherIfTheGapIsWider) {
  EXPECT_EQ(folded("loss 0.5  accuracy 0.9", 12, "  ", "  "),
            "loss 0.5\n  accuracy 0.9");
}

TEST(Folded, CountsCharactersNotBytes) {
  EXPECT_EQ(folded("äöü äöü", 7), "äöü äöü");
}

} // namespace
} // namespace popscope::text
