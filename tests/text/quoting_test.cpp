#include "text/quoting.hpp"

#include <gtest/gtest.h>

namespace popscope::text {
namespace {

TEST(Quoting, StringsStayOneValueWhateverTheyHold) {
  EXPECT_EQ(jsonString("a\"b\\c\n\xff"), "\"a\\\"b\\\\c\\u000a\xef\xbf\xbd\"");
  EXPECT_EQ(csvCell("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csvCell("plain"), "plain");
  EXPECT_EQ(oneLine("a\tb\x1b"), "a\\u0009b\\u001b");
}

TEST(Quoting, JsonCannotEndTheScriptItStandsIn) {
  EXPECT_EQ(forScript(jsonString("</script><!--")),
            "\"\\u003c/script>\\u003c!--\"");
}

} // namespace
} // namespace popscope::text
