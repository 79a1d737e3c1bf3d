#include "poplar/base/json.hpp"

#include <poplar/exceptions.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

using ipumodel::parseJson;
using poplar::ProfileValue;

namespace {

TEST(Json, ReadsEveryKindOfValue) {
  const ProfileValue value = parseJson(
      R"( { "s" : "x", "n": -1.5e2, "b": false, "v": [1, [], {}], "m": {} } )");
  EXPECT_EQ(value["s"].asString(), "x");
  EXPECT_EQ(value["n"].asDouble(), -150);
  EXPECT_FALSE(value["b"].asBool());
  EXPECT_EQ(value["v"].size(), 3u);
  EXPECT_EQ(value["m"].size(), 0u);
}

TEST(Json, ReadsEscapesAsUtf8) {
  EXPECT_EQ(parseJson(R"("\"\\\/\b\f\n\r\t")").asString(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(parseJson(R"("\u0041\u00e9\u20ac")").asString(),
            "A\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(parseJson(R"("\ud83d\ude00")").asString(), "\xf0\x9f\x98\x80");
}

TEST(Json, ReadsBackEveryStringItWrites) {
  std::string text;
  for (int c = 0; c < 256; ++c)
    text += char(c);
  std::ostringstream os;
  ipumodel::writeJsonString(os, text);
  EXPECT_EQ(parseJson(os.str()).asString(), text);
}

TEST(Json, ReadsBackEveryNumberItWrites) {
  for (const double number :
       {0.0, -0.0, 0.1, 1.0 / 3, 5e-324, 1e300, 123456789012345.0,
        9007199254740992.0, std::numeric_limits<double>::max()}) {
    std::ostringstream os;
    ipumodel::writeJsonNumber(os, number);
    EXPECT_EQ(parseJson(os.str()).asDouble(), number) << os.str();
  }
}

TEST(Json, WritesWholeNumbersWithoutAPoint) {
  std::ostringstream os;
  ipumodel::writeJsonNumber(os, 1472);
  EXPECT_EQ(os.str(), "1472");
}

TEST(Json, WritesNullForWhatJsonCannotSay) {
  std::ostringstream os;
  ipumodel::writeJsonNumber(os, std::nan(""));
  EXPECT_EQ(os.str(), "null");
}

class MalformedJson : public testing::TestWithParam<const char *> {};

TEST_P(MalformedJson, IsRefused) {
  EXPECT_THROW(parseJson(GetParam()), poplar::parse_error);
}

INSTANTIATE_TEST_SUITE_P(Json, MalformedJson,
                         testing::Values("", "  ", "{", "[1,]", "[1 2]",
                                         "{\"a\":1,}", "{a:1}", "'a'", "\"abc",
                                         "\"\\x\"", "\"\\u12g4\"",
                                         "\"\\ud800\"", "\"\\ud800\\u0041\"",
                                         "\"\\udc00\"", "\"\n\"", "01", "1.",
                                         ".5", "-", "1e", "+1", "tru", "nul",
                                         "null", "1 2", "{\"a\" 1}", "[1}"));

TEST(Json, RefusesBottomlessNesting) {
  EXPECT_THROW(parseJson(std::string(100000, '[')), poplar::parse_error);
  EXPECT_NO_THROW(parseJson(std::string(900, '[') + std::string(900, ']')));
}

} // namespace
