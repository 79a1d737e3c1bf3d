#include "tests/support/scoped_env.hpp"

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using poplar::OptionFlags;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

std::vector<OptionFlags::OptionFlag> pairsOf(const OptionFlags &flags) {
  return {flags.begin(), flags.end()};
}

std::size_t numberOf(const OptionFlags &flags) { return flags.size(); }

std::string parseErrorOf(const std::string &json) {
  OptionFlags flags;
  try {
    poplar::readJSON(json, flags);
  } catch (const poplar::parse_error &error) {
    return error.what();
  }
  return "no error";
}

TEST(OptionFlags, AreMadeOfBraces) {
  EXPECT_EQ(numberOf({}), 0u);
  EXPECT_EQ(numberOf({{"a", "1"}}), 1u);
  EXPECT_EQ(numberOf({{"a", "1"}, {"b", "2"}}), 2u);
  OptionFlags flags{{"a", "1"}};
  flags.set({{"a", "2"}, {"c", "3"}});
  EXPECT_THAT(pairsOf(flags), ElementsAre(Pair("a", "2"), Pair("c", "3")));
}

TEST(OptionFlags, IterateInTheOrderOfTheirKeys) {
  const OptionFlags flags{{"c", "1"}, {"a", "2"}, {"b", "3"}};
  EXPECT_THAT(pairsOf(flags),
              ElementsAre(Pair("a", "2"), Pair("b", "3"), Pair("c", "1")));
}

TEST(OptionFlags, SettingAgainReplacesTheValue) {
  OptionFlags flags{{"k", "old"}};
  flags.set("k", "new");
  EXPECT_EQ(flags.at("k"), "new");
  EXPECT_EQ(flags.size(), 1u);
}

TEST(OptionFlags, AtThrowsNamingWhatIsNotSet) {
  const OptionFlags flags;
  EXPECT_EQ(flags.find("k"), flags.end());
  try {
    flags.at("k");
    FAIL();
  } catch (const std::out_of_range &error) {
    EXPECT_THAT(error.what(), HasSubstr("'k'"));
  }
}

TEST(OptionFlags, CompareAndServeAsKeys) {
  const OptionFlags a{{"k", "1"}}, same{{"k", "1"}}, b{{"k", "2"}};
  EXPECT_EQ(a, same);
  EXPECT_NE(a, b);
  EXPECT_EQ((std::set<OptionFlags>{a, same, b}.size()), 2u);
}

TEST(OptionFlags, PrintAsTheJsonTheyCanBeReadFrom) {
  const OptionFlags flags{{"k", "say \"hi\"\n"}, {"n", "5"}};
  std::ostringstream os;
  os << flags;
  OptionFlags back;
  poplar::readJSON(os.str(), back);
  EXPECT_EQ(back, flags);
}

TEST(ReadJson, AddsToTheFlagsAndReplaces) {
  OptionFlags flags{{"kept", "1"}, {"replaced", "1"}};
  poplar::readJSON(R"({"replaced": "2", "added": "3"})", flags);
  EXPECT_THAT(pairsOf(flags), ElementsAre(Pair("added", "3"), Pair("kept", "1"),
                                          Pair("replaced", "2")));
}

TEST(ReadJson, TakesNumbersAndBooleansAsTheyAreWritten) {
  OptionFlags flags;
  std::istringstream json(
      R"({"n": 900, "big": 18446744073709551615, "f": 1.50, "b": true})");
  poplar::readJSON(json, flags);
  EXPECT_EQ(flags.at("n"), "900");
  EXPECT_EQ(flags.at("big"), "18446744073709551615");
  EXPECT_EQ(flags.at("f"), "1.50");
  EXPECT_EQ(flags.at("b"), "true");
}

TEST(ReadJson, NamesThePositionOfAMistake) {
  EXPECT_THAT(parseErrorOf("{\"a\": \"1\",\n \"b\" \"2\"}"),
              HasSubstr("line 2, column 6"));
  EXPECT_THAT(parseErrorOf("[]"), HasSubstr("line 1, column 1"));
  EXPECT_THAT(parseErrorOf("{} x"), HasSubstr("column 4"));
  EXPECT_THAT(parseErrorOf(""), HasSubstr("column 1"));
}

TEST(ReadJson, RefusesNestedValuesNamingTheOption) {
  EXPECT_THAT(parseErrorOf(R"({"a": {"b": "c"}})"), HasSubstr("'a'"));
  EXPECT_THAT(parseErrorOf(R"({"a": null})"), HasSubstr("'a'"));
}

TEST(ReadJson, LeavesTheFlagsAloneOnFailure) {
  OptionFlags flags{{"a", "1"}};
  EXPECT_THROW(poplar::readJSON(R"({"a": "2", )", flags), poplar::parse_error);
  EXPECT_EQ(flags, (OptionFlags{{"a", "1"}}));
}

TEST(ReadJsonFromEnv, SaysWhetherTheVariableWasSet) {
  OptionFlags flags;
  EXPECT_FALSE(poplar::readJSONFromEnv("POPLAR_VALUES_TEST", flags));
  {
    const ScopedEnv env("POPLAR_VALUES_TEST", R"({"a": "1"})");
    EXPECT_TRUE(poplar::readJSONFromEnv("POPLAR_VALUES_TEST", flags));
    EXPECT_EQ(flags.at("a"), "1");
  }
  const ScopedEnv empty("POPLAR_VALUES_TEST", "");
  EXPECT_FALSE(poplar::readJSONFromEnv("POPLAR_VALUES_TEST", flags));
}

TEST(ReadJsonFromEnv, NamesTheVariableThatIsWrong) {
  const ScopedEnv env("POPLAR_VALUES_TEST", "{");
  OptionFlags flags;
  try {
    poplar::readJSONFromEnv("POPLAR_VALUES_TEST", flags);
    FAIL();
  } catch (const poplar::parse_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("POPLAR_VALUES_TEST"));
  }
}

} // namespace
