#include "text/json_fields.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>

namespace popscope::text {
namespace {

using ::testing::HasSubstr;

// What is said when `read` reads the fields of an object with keys a and size.
std::string errorOf(const std::string &json,
                    const std::function<void(const JsonFields &)> &read = {}) {
  const JsonValue value = parseJson(json);
  try {
    const JsonFields fields(value, "layer x", {"a", "size"});
    if (read)
      read(fields);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonFields, AnUnknownKeyIsRefusedWithTheNearest) {
  EXPECT_EQ(errorOf(R"({"a": 1, "sise": 2})"),
            "layer x: no key \"sise\"; did you mean \"size\"? There are a, "
            "size");
}

TEST(JsonFields, AKeyThatIsThereTwiceIsRefused) {
  EXPECT_EQ(errorOf(R"({"a": 1, "size": 2, "a": 1})"),
            "layer x: \"a\": is there twice; leave one out");
}

TEST(JsonFields, WhatIsNotAnObjectIsRefused) {
  for (const char *json : {"[]", "3", "null", "\"a\""})
    EXPECT_THAT(errorOf(json), HasSubstr("layer x: has to be an object"));
}

TEST(JsonFields, ALongKeyIsShownInPart) {
  const std::string error =
      errorOf("{\"" + std::string(100000, 'k') + "\": 1}");
  EXPECT_LT(error.size(), 200u);
}

TEST(JsonFields, ValuesThatAreNotThereHaveTheirFallbacks) {
  const JsonValue value = parseJson("{}");
  const JsonFields fields(value, "", {"a"});
  EXPECT_EQ(fields.string("a", "text"), "text");
  EXPECT_EQ(fields.count("a", 1, 5, 3), 3u);
  EXPECT_EQ(fields.number("a", 0.0f, 1.0f, 0.25f), 0.25f);
  EXPECT_EQ(fields.word("a", {"one", "two"}, 1), 1u);
  EXPECT_TRUE(fields.boolean("a", true));
  EXPECT_TRUE(fields.array("a", "[]").empty());
  EXPECT_EQ(errorOf("{}", [](const JsonFields &f) { f.string("a"); }),
            "layer x: the key \"a\" is missing");
}

TEST(JsonFields, CountsOutOfTheirRangeAreRefused) {
  const auto count = [](const JsonFields &fields) { fields.count("a", 1, 9); };
  EXPECT_EQ(errorOf(R"({"a": 9})", count), "no error");
  for (const char *bad : {"0", "10", "-1", "1.5", "1e400", "-1e400", "\"3\"",
                          "true", "null", "[3]", "123456789012345678901"})
    EXPECT_EQ(errorOf(std::string("{\"a\": ") + bad + "}", count),
              "layer x: \"a\": has to be a whole number from 1 to 9")
        << bad;
}

TEST(JsonFields, NumbersOutOfTheirRangeAreRefused) {
  const auto number = [](const JsonFields &fields) {
    fields.number("a", 0.0f, 1.0f, 0.5f);
  };
  EXPECT_EQ(errorOf(R"({"a": 0})", number), "no error");
  for (const char *bad : {"1", "-0.1", "1e400", "-1e400", "\"0.5\"", "null"})
    EXPECT_EQ(errorOf(std::string("{\"a\": ") + bad + "}", number),
              "layer x: \"a\": has to be a number of at least 0 and less than "
              "1")
        << bad;
}

TEST(JsonFields, ANumberBeyondFloatIsRefusedThoughThereIsNoLimit) {
  const auto number = [](const JsonFields &fields) {
    fields.number("a", 0.0f, std::numeric_limits<float>::infinity(), 0.5f);
  };
  EXPECT_EQ(errorOf(R"({"a": 3.4e38})", number), "no error");
  for (const char *bad : {"3.5e38", "1e400"})
    EXPECT_NE(errorOf(std::string("{\"a\": ") + bad + "}", number), "no error")
        << bad;
}

TEST(JsonFields, AnUnknownWordIsRefusedWithTheNearest) {
  const auto word = [](const JsonFields &fields) {
    fields.word("a", {"relu", "selu"});
  };
  EXPECT_EQ(errorOf(R"({"a": "rellu"})", word),
            "layer x: \"a\": no \"rellu\"; did you mean \"relu\"? There are "
            "relu, selu");
  EXPECT_EQ(errorOf(R"({"a": "tanh"})", word),
            "layer x: \"a\": no \"tanh\"; there are relu, selu");
  EXPECT_EQ(errorOf(R"({"a": 1})", word),
            "layer x: \"a\": has to be one of these words: relu, selu");
}

TEST(JsonFields, OtherTypesAreRefused) {
  EXPECT_EQ(
      errorOf(R"({"a": 1})",
              [](const JsonFields &fields) { fields.boolean("a", true); }),
      "layer x: \"a\": has to be true or false, without quotes");
  EXPECT_EQ(errorOf(R"({"a": 1})",
                    [](const JsonFields &fields) { fields.array("a", "[1]"); }),
            "layer x: \"a\": has to be a list such as [1]");
  EXPECT_EQ(errorOf(R"({"a": 1})",
                    [](const JsonFields &fields) { fields.string("a"); }),
            "layer x: \"a\": has to be a text in quotes");
}

} // namespace
} // namespace popscope::text
