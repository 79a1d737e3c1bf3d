#include "summary/encoding/utf8.hpp"
#include "summary/tag.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::summary {
namespace {

TEST(Tag, TakesTheNamesTheTutorialsUse) {
  for (const char *name :
       {"loss", "Dense_128/kernel:0_grad", "Step 1 Accuracy Testsheet",
        "Confusion Matrix", "größe/μ", "_hparams_/session_start_info"})
    EXPECT_EQ(Tag(name).name(), name);
}

TEST(Tag, RefusesWhatTensorBoardCannotShow) {
  for (const std::string name :
       {"", "/loss", "a\nb", "a\x7f", "\xff", "a\xc3", "\xed\xa0\x80"})
    EXPECT_THROW(Tag{name}, std::invalid_argument) << name;
}

TEST(Tag, MessageNamesTheTag) {
  try {
    Tag("/conv1/loss");
    FAIL();
  } catch (const std::invalid_argument &error) {
    EXPECT_STREQ(error.what(),
                 "[summary] tag \"conv1/loss\" must not begin with '/'");
  }
}

TEST(Tag, SanitizedIsAlwaysValid) {
  EXPECT_EQ(Tag::sanitized("//a/b").name(), "a/b");
  EXPECT_EQ(Tag::sanitized("").name(), "_");
  EXPECT_EQ(Tag::sanitized("///").name(), "_");
  EXPECT_EQ(Tag::sanitized("a\tb\xff"
                           "c")
                .name(),
            "a_b_c");
  EXPECT_EQ(Tag::sanitized("größe").name(), "größe");
}

TEST(Tag, ChildIsBelowItsParent) {
  EXPECT_EQ((Tag("conv1") / "act").name(), "conv1/act");
  EXPECT_EQ(Tag("a") / "b", Tag("a/b"));
  EXPECT_NE(Tag("a"), Tag("b"));
}

TEST(Utf8, StopsAtTheFirstBadByte) {
  EXPECT_EQ(validUtf8Prefix("abc"), 3u);
  EXPECT_EQ(validUtf8Prefix("ab\xc0\x80"), 2u);        // overlong
  EXPECT_EQ(validUtf8Prefix("\xe0\x80\x80"), 0u);      // overlong
  EXPECT_EQ(validUtf8Prefix("\xf4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(validUtf8Prefix("\xf0\x9f\x98\x80x"), 5u); // U+1F600
  EXPECT_EQ(validUtf8Prefix("x\xf0\x9f\x98"), 1u);     // cut off
}

TEST(Utf8, ReplacesEachBadByte) {
  EXPECT_EQ(toUtf8("a\xff\xfe"
                   "b"),
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(toUtf8("größe"), "größe");
}

} // namespace
} // namespace popscope::summary
