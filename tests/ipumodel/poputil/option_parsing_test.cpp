#include <poplar/OptionFlags.hpp>
#include <poputil/OptionParsing.hpp>

#include <climits>
#include <gmock/gmock.h>

using namespace poplibs;
using poplar::invalid_option;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

enum class Colour { red, blue };

const std::map<std::string, Colour> kColours = {{"red", Colour::red},
                                                {"blue", Colour::blue}};

std::string refusalOf(const OptionSpec &spec, const char *option,
                      const char *value) {
  try {
    spec.parse(option, value);
  } catch (const invalid_option &e) {
    return e.what();
  }
  return "accepted";
}

TEST(OptionParsing, EachKindOfValueIsStored) {
  bool flag = false;
  unsigned number = 0;
  double ratio = 0;
  std::string text;
  Colour colour = Colour::red;
  std::vector<unsigned> list = {1};
  const OptionSpec spec{
      {"flag", OptionHandler::createWithBool(flag)},
      {"number", OptionHandler::createWithInteger(number)},
      {"ratio", OptionHandler::createWithDouble(ratio)},
      {"text", OptionHandler::createWithString(text)},
      {"colour", OptionHandler::createWithEnum(colour, kColours)},
      {"list", OptionHandler::createWithList(list)}};
  const poplar::OptionFlags options = {{"flag", "true"},   {"number", "42"},
                                       {"ratio", "0.25"},  {"text", "a text"},
                                       {"colour", "blue"}, {"list", "2,0x10"}};
  for (const auto &entry : options)
    spec.parse(entry.first, entry.second);
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 42u);
  EXPECT_EQ(ratio, 0.25);
  EXPECT_EQ(text, "a text");
  EXPECT_EQ(colour, Colour::blue);
  EXPECT_THAT(list, ElementsAre(1, 2, 16));
}

TEST(OptionParsing, AnUnknownOptionIsRefusedByName) {
  bool flag = false;
  const OptionSpec spec{{"flag", OptionHandler::createWithBool(flag)}};
  EXPECT_THAT(refusalOf(spec, "flog", "true"), HasSubstr("'flog'"));
  EXPECT_NO_THROW(spec.parse("flog", "true", true));
}

TEST(OptionParsing, ARefusedValueIsNamedAndNotStored) {
  bool flag = false;
  int number = 7;
  Colour colour = Colour::red;
  std::vector<int> list;
  const OptionSpec spec{
      {"flag", OptionHandler::createWithBool(flag)},
      {"number", OptionHandler::createWithInteger(number)},
      {"colour", OptionHandler::createWithEnum(colour, kColours)},
      {"list", OptionHandler::createWithList(list)}};
  EXPECT_THAT(refusalOf(spec, "flag", "yes"),
              testing::AllOf(HasSubstr("'yes'"), HasSubstr("'flag'"),
                             HasSubstr("['false', 'true']")));
  for (const char *value : {"", "seven", "8x", "1.5"})
    EXPECT_THAT(refusalOf(spec, "number", value), HasSubstr("'number'"));
  EXPECT_THAT(refusalOf(spec, "colour", "green"), HasSubstr("['blue', 'red']"));
  EXPECT_THAT(refusalOf(spec, "list", "1,two"), HasSubstr("'list'"));
  EXPECT_FALSE(flag);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(colour, Colour::red);
}

TEST(OptionParsing, BoundsDecideWhetherTheirOwnValueIsIn) {
  double ratio = 0.5;
  const OptionSpec spec{
      {"ratio", OptionHandler::createWithDouble(ratio, 0, true, 1, false)}};
  spec.parse("ratio", "0");
  EXPECT_EQ(ratio, 0);
  EXPECT_THAT(refusalOf(spec, "ratio", "1"), HasSubstr("less than"));
  EXPECT_THAT(refusalOf(spec, "ratio", "-0.1"),
              HasSubstr("greater than or equal to"));
  EXPECT_EQ(ratio, 0);
}

TEST(OptionParsing, WithoutBoundsANumberIsPositive) {
  double ratio = 0.5;
  const OptionSpec spec{{"ratio", OptionHandler::createWithDouble(ratio)}};
  EXPECT_NE(refusalOf(spec, "ratio", "0"), "accepted");
  EXPECT_NE(refusalOf(spec, "ratio", "-1"), "accepted");
  EXPECT_NE(refusalOf(spec, "ratio", "half"), "accepted");
  spec.parse("ratio", "1e300");
  EXPECT_EQ(ratio, 1e300);
}

TEST(OptionParsing, NumbersAreReadInEitherBase) {
  EXPECT_EQ(parse::asInteger<int>("-12"), -12);
  EXPECT_EQ(parse::asInteger<unsigned>("0xFF"), 255u);
  EXPECT_EQ(parse::asInteger<unsigned>("4294967295"), UINT_MAX);
  EXPECT_THROW(parse::asInteger<int>("4294967295"), invalid_option);
  EXPECT_EQ(parse::asFloatingPoint<float>("2.5"), 2.5f);
}

TEST(OptionParsing, OptionalValuesCanBeTakenBack) {
  std::optional<Colour> colour;
  std::optional<double> ratio;
  const OptionSpec spec{{"colour", createOptionalEnumHandler(colour, kColours)},
                        {"ratio", createOptionalDoubleHandler(ratio, 0.0)}};
  spec.parse("colour", "blue");
  EXPECT_EQ(colour, Colour::blue);
  spec.parse("colour", "none");
  EXPECT_EQ(colour, std::nullopt);
  spec.parse("ratio", "0");
  EXPECT_EQ(ratio, 0.0);
}

} // namespace
