#include "text/json_object.hpp"
#include "text/json_value.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::text {
namespace {

TEST(JsonValue, ReadsEveryKindOfValue) {
  const JsonValue value = parseJson(
      R"( {"a": [1, -2.5e3, true, null], "b": {"c": "x\n\u00e9\ud83d\ude00"}} )");
  ASSERT_EQ(value["a"].items().size(), 4u);
  EXPECT_EQ(value["a"].items()[0].numberOr(0), 1.0);
  EXPECT_EQ(value["a"].items()[1].numberOr(0), -2500.0);
  EXPECT_TRUE(value["a"].items()[2].boolOr(false));
  EXPECT_TRUE(value["a"].items()[3].isNull());
  EXPECT_EQ(value["b"]["c"].stringOr(""), "x\n\u00e9\U0001f600");
}

TEST(JsonValue, GivesWhatWasAskedForWhereThereIsNothing) {
  const JsonValue value = parseJson("{\"a\": 1}");
  EXPECT_TRUE(value["b"]["c"].isNull());
  EXPECT_EQ(value["a"].stringOr("none"), "none");
  EXPECT_TRUE(value["a"].items().empty());
}

TEST(JsonValue, IsWrittenAsItWasRead) {
  const std::string text =
      R"({"a": [1, -2.5, true, false, null, [], {}], "b": {"c": "x\u000a\"y\""}})";
  EXPECT_EQ(toJson(parseJson(text)), text);
}

TEST(JsonValue, ANumberThatIsNoCountIsNotTakenForOne) {
  for (const char *text : {"-1", "1.5", "1e30", "-1e300", "1e999",
                           "18446744073709551616", "\"7\"", "null"})
    EXPECT_EQ(parseJson(text).countOr(5), 5u) << text;
  EXPECT_EQ(parseJson("9007199254740992").countOr(5), std::uint64_t(1) << 53);
  EXPECT_EQ(parseJson("4294967295").count32Or(5), 4294967295u);
  EXPECT_EQ(parseJson("4294967296").count32Or(5), 5u);
}

TEST(JsonValue, ReadsWhatJsonObjectWrites) {
  JsonObject written;
  written.string("text", "a \"b\"\n\x01");
  written.number("number", 0.1);
  written.add("list", jsonArray(std::vector{1, 2},
                                [](int i) { return std::to_string(i); }));
  const JsonValue read = parseJson(written.text());
  EXPECT_EQ(read["text"].stringOr(""), "a \"b\"\n\x01");
  EXPECT_EQ(read["number"].numberOr(0), 0.1);
  EXPECT_EQ(read["list"].items().size(), 2u);
  EXPECT_EQ(JsonObject().text(), "{}");
}

TEST(JsonValue, RefusesWhatIsNoJson) {
  for (const char *text :
       {"", "{", "[1,]", "{\"a\" 1}", "\"a", "nul", "1 2", "[1 2]", "\"\\x\"",
        "\"\\u12\"", "{a: 1}", "--1", "\"\\ud800\\u0041\""})
    EXPECT_THROW(parseJson(text), std::invalid_argument) << text;
  EXPECT_THROW(parseJson(std::string(100'000, '[')), std::invalid_argument);
}

} // namespace
} // namespace popscope::text
