#include "host/command.hpp"
#include "host/terminal/typed_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;

enum class Fruit { apple, pear };

struct Values {
  unsigned count = 7;
  std::optional<std::uint64_t> seed;
  Fruit fruit = Fruit::apple;
  std::string name;
  std::vector<std::string> words;
};

// CLI11 takes the words from last to first.
std::string parse(const std::vector<std::string> &words, Values &values) {
  CLI::App app;
  addCount(app, "--count", values.count, "");
  addNumber(app, "--seed", values.seed, 0, "");
  addChoice<Fruit>(app, "--fruit", values.fruit,
                   {{"apple", Fruit::apple}, {"pear", Fruit::pear}}, "");
  app.add_option("--name", values.name, "");
  addWords(app, "--words", values.words, "WORD", "");
  refuseBlankValues(app);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const BadInput &error) {
    return error.what();
  }
  return "";
}

std::string errorOf(const std::string &option, const std::string &value) {
  Values values;
  return parse({option, value}, values);
}

TEST(TypedOptions, NumbersAreDecimal) {
  Values values;
  EXPECT_EQ(parse({"--count", "010", "--seed", "0"}, values), "");
  EXPECT_EQ(values.count, 10u) << "not octal";
  EXPECT_EQ(values.seed, 0u);
  for (const std::string text : {"1e3", "1.5", "+4", "0x4", " 4", "nan", "-"})
    EXPECT_EQ(errorOf("--count", text),
              "--count " + text + ": not a whole number in decimal digits");
}

TEST(TypedOptions, NumbersHaveTheRangeOfTheirType) {
  EXPECT_EQ(errorOf("--count", "0"), "--count 0: must be at least 1");
  EXPECT_EQ(errorOf("--count", "-1"), "--count -1: must be at least 1");
  EXPECT_EQ(errorOf("--seed", "-1"), "--seed -1: must be at least 0");
  EXPECT_EQ(errorOf("--count", "4294967295"), "");
  EXPECT_EQ(errorOf("--count", "4294967296"), "--count 4294967296: too large");
  EXPECT_EQ(errorOf("--seed", "18446744073709551615"), "");
  EXPECT_EQ(errorOf("--seed", "18446744073709551616"),
            "--seed 18446744073709551616: too large");
}

TEST(TypedOptions, SignedNumbersHaveTheirRangeToo) {
  EXPECT_EQ(parseSigned("--from", "-5"), -5);
  EXPECT_EQ(parseSigned("--from", "-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(parseSigned("--from", "9223372036854775808"), BadInput);
  EXPECT_THROW(parseSigned("--from", "5.0"), BadInput);
}

TEST(TypedOptions, WordsThatAreNoChoiceAreToldTheChoices) {
  EXPECT_EQ(errorOf("--fruit", "plum"), "--fruit plum: choose apple or pear");
}

TEST(TypedOptions, BlankValuesAreRefusedByEveryOption) {
  for (const std::string option :
       {"--count", "--seed", "--fruit", "--name", "--words"})
    for (const char *blank : {"", " ", "\t"})
      EXPECT_EQ(errorOf(option, blank),
                option + ": the value is empty; give one or leave it out");
}

TEST(TypedOptions, WordsKeepTheirBrackets) {
  Values values;
  EXPECT_EQ(parse({"--words", "[ab]c[de]", "[x,y]", "z"}, values), "");
  EXPECT_THAT(values.words, ElementsAre("[ab]c[de]", "[x,y]", "z"));
}

} // namespace
} // namespace popscope::host
