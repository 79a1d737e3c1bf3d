#include "outfeed/rules/rule_error.hpp"
#include "outfeed/rules/tensor_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

namespace popscope::outfeed {
namespace {

using graph::TapMoment;
using graph::TensorKind;
using testing::ElementsAre;
using testing::IsEmpty;

TensorTraits tensor(const char *name, TensorKind kind, std::size_t numel,
                    unsigned stage = 0,
                    TapMoment moment = TapMoment::microBatch) {
  TensorTraits traits;
  traits.name = name;
  traits.kind = kind;
  traits.moment = moment;
  traits.stage = stage;
  traits.dtype = "float";
  traits.shape = {numel};
  traits.numElements = numel;
  return traits;
}

std::vector<TensorTraits> catalogue() {
  return {
      tensor("conv_0_acts", TensorKind::activation, 692224),
      tensor("conv_0/kernel:0_grad", TensorKind::gradient, 288),
      tensor("conv_0/bias:0_grad", TensorKind::gradient, 32),
      tensor("conv_1/kernel:0_grad", TensorKind::gradient, 18432, 1),
      tensor("dense/kernel:0_grad", TensorKind::gradient, 320, 1,
             TapMoment::accumulated),
      tensor("dense/kernel:0", TensorKind::weight, 320, 1, TapMoment::applied)};
}

std::vector<std::string> matches(const std::string &text) {
  const TensorFilter filter = TensorFilter::parse(text);
  std::vector<std::string> names;
  for (const TensorTraits &traits : catalogue())
    if (filter.matches(traits))
      names.push_back(traits.name);
  return names;
}

TEST(TensorFilter, AWordIsAPartOfTheName) {
  EXPECT_THAT(matches("conv_1"), ElementsAre("conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("kernel:0_grad"),
              ElementsAre("conv_0/kernel:0_grad", "conv_1/kernel:0_grad",
                          "dense/kernel:0_grad"));
}

TEST(TensorFilter, AGlobMatchesTheWholeName) {
  EXPECT_THAT(matches("conv_?/kernel*"),
              ElementsAre("conv_0/kernel:0_grad", "conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("conv*acts"), ElementsAre("conv_0_acts"));
  EXPECT_THAT(matches("*_[1-9]/*"), ElementsAre("conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("conv_[!1]*kernel*"),
              ElementsAre("conv_0/kernel:0_grad"));
  EXPECT_THAT(matches("*kernel"), IsEmpty());
}

TEST(TensorFilter, BracketsAloneMakeAGlob) {
  EXPECT_THAT(matches("conv_[01]_acts"), ElementsAre("conv_0_acts"));
  EXPECT_THAT(matches("conv_[1-9]/kernel:0_grad"),
              ElementsAre("conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("conv_[01]"), IsEmpty()) << "it is not the whole name";
}

TEST(TensorFilter, AValueMayBeAGlob) {
  EXPECT_THAT(matches("name:conv_*kernel*"),
              ElementsAre("conv_0/kernel:0_grad", "conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("layer:conv_[1-9]"), ElementsAre("conv_1/kernel:0_grad"));
  EXPECT_EQ(matches("kind:grad*"), matches("kind:gradient"));
  EXPECT_THAT(matches("name:conv_0"), IsEmpty()) << "it is not the whole name";
}

TEST(TensorFilter, ASignOfAGlobIsItselfAfterABackslash) {
  const TensorFilter filter = TensorFilter::parse("a\\[0\\]");
  EXPECT_TRUE(filter.matches(tensor("a[0]", TensorKind::activation, 1)));
  EXPECT_FALSE(filter.matches(tensor("a0", TensorKind::activation, 1)));
}

TEST(TensorFilter, EveryMomentAndKindCanBeAskedFor) {
  const auto isFound = [](const std::string &text, const TensorTraits &traits) {
    return TensorFilter::parse(text).matches(traits);
  };
  for (const TapMoment moment : {TapMoment::microBatch, TapMoment::accumulated,
                                 TapMoment::reduced, TapMoment::applied})
    EXPECT_TRUE(isFound(std::string("at:") + nameOf(moment),
                        tensor("a", TensorKind::gradient, 1, 0, moment)));
  for (const TensorKind kind :
       {TensorKind::input, TensorKind::preactivation, TensorKind::activation,
        TensorKind::loss, TensorKind::lossScale, TensorKind::activationGradient,
        TensorKind::gradient, TensorKind::optimizerState, TensorKind::update,
        TensorKind::weight})
    EXPECT_TRUE(
        isFound(std::string("kind:") + nameOf(kind), tensor("a", kind, 1)));
}

TEST(TensorFilter, TermsSpeakOfProperties) {
  EXPECT_THAT(matches("kind:weight"), ElementsAre("dense/kernel:0"));
  EXPECT_THAT(matches("stage:1 & kind:gradient"),
              ElementsAre("conv_1/kernel:0_grad", "dense/kernel:0_grad"));
  EXPECT_THAT(matches("at:accumulated"), ElementsAre("dense/kernel:0_grad"));
  EXPECT_THAT(matches("numel>18431"),
              ElementsAre("conv_0_acts", "conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("numel<=32"), ElementsAre("conv_0/bias:0_grad"));
  EXPECT_THAT(matches("numel>=18432 & numel<100000"),
              ElementsAre("conv_1/kernel:0_grad"));
  EXPECT_EQ(matches("dtype:float").size(), catalogue().size());
}

TEST(TensorFilter, ALayerHasActivationsToo) {
  EXPECT_THAT(
      matches("layer:conv_0"),
      ElementsAre("conv_0_acts", "conv_0/kernel:0_grad", "conv_0/bias:0_grad"));
  EXPECT_THAT(matches("layer:dense"),
              ElementsAre("dense/kernel:0_grad", "dense/kernel:0"));
}

TEST(TensorFilter, JoinsTermsAsTheManualSays) {
  EXPECT_THAT(
      matches(R"(kind:gradient & layer~"conv_[01]" & numel>100 & !name~bias)"),
      ElementsAre("conv_0/kernel:0_grad", "conv_1/kernel:0_grad"));
  EXPECT_THAT(matches("(conv_1 | dense) & !kind:weight"),
              ElementsAre("conv_1/kernel:0_grad", "dense/kernel:0_grad"));
}

TEST(TensorFilter, RegularExpressionsKeepTheirParentheses) {
  EXPECT_THAT(matches("(name~^(conv_1|dense).*(_gr(ad|id))$ & stage:1)"),
              ElementsAre("conv_1/kernel:0_grad", "dense/kernel:0_grad"));
  EXPECT_EQ(matches("name~conv_1|dense"), matches("conv_1 | dense"));
}

TEST(TensorFilter, AndBindsMoreTightlyThanOr) {
  EXPECT_EQ(matches("acts | conv_1 & kind:weight"), matches("acts"));
}

TEST(TensorFilter, NothingIsBothItselfAndNot) {
  for (const char *text : {"conv", "kind:gradient", "numel>300", "*grad"}) {
    const std::string a = text;
    EXPECT_THAT(matches(a + " & !" + a), IsEmpty()) << text;
    EXPECT_EQ(matches(a + " | !" + a).size(), catalogue().size()) << text;
  }
}

TEST(TensorFilter, WordsAndDoubledSignsJoinToo) {
  for (const char *text :
       {"conv_0 && kernel", "conv_0 and kernel", "(conv_0)and(kernel)"})
    EXPECT_EQ(matches(text), matches("conv_0 & kernel")) << text;
  for (const char *text : {"acts || dense", "acts or dense"})
    EXPECT_EQ(matches(text), matches("acts | dense")) << text;
  for (const char *text : {"not conv", "not(conv)", "not not not conv"})
    EXPECT_EQ(matches(text), matches("!conv")) << text;
  EXPECT_EQ(matches("acts or conv_1 and not kind:gradient"), matches("acts"));
  EXPECT_THAT(matches("\"and\""), IsEmpty()) << "in quotes it is a name";
  EXPECT_EQ(matches("!!conv"), matches("conv"));
}

TEST(TensorFilter, NamesOfVariablesAreNotTakenForProperties) {
  EXPECT_THAT(matches("bias:0"), ElementsAre("conv_0/bias:0_grad"));
  EXPECT_THAT(matches("dense/kernel:0_grad"),
              ElementsAre("dense/kernel:0_grad"));
  EXPECT_THAT(matches("\"kind:gradient\""), IsEmpty());
}

TEST(TensorFilter, NamesOfPropertiesAloneAreParts) {
  EXPECT_TRUE(TensorFilter::parse("layer").matches(
      tensor("layer_1", TensorKind::activation, 1)));
}

std::string message(const std::string &text) {
  try {
    TensorFilter::parse(text);
  } catch (const RuleError &error) {
    return error.what();
  }
  return "";
}

TEST(TensorFilter, ErrorsPointAtThePlace) {
  EXPECT_EQ(message("conv & "),
            "[outfeed] expected a name or a property, as in conv_0 or "
            "kind:gradient\n  conv & \n         ^");
  EXPECT_EQ(message("conv & kind=gradient"),
            "[outfeed] 'kind' is compared by ':' or '~', as in kind:input\n"
            "  conv & kind=gradient\n             ^");
  EXPECT_EQ(message("\xc3\xb6\tnumel>many"),
            "[outfeed] expected '&' or '|' between two terms\n"
            "  \xc3\xb6\\u0009numel>many\n         ^")
      << "in columns of the terminal";
}

TEST(TensorFilter, ErrorsShowTheSurroundingsInALongText) {
  const std::string text =
      message(std::string(1000, 'a') + " b" + std::string(1000, 'c'));
  EXPECT_EQ(text, "[outfeed] expected '&' or '|' between two terms\n  ..." +
                      std::string(39, 'a') + " b" + std::string(29, 'c') +
                      "...\n  " + std::string(43, ' ') + "^");
}

TEST(TensorFilter, AnUnknownPropertyNamesTheNearest) {
  for (const auto &[text, nearest] :
       {std::pair("knd:gradient", "did you mean kind?"),
        std::pair("Layer:conv_0", "did you mean layer?"),
        std::pair("conv & knd: gradient", "did you mean kind?"),
        std::pair("nme~conv", "did you mean name?"),
        std::pair("nume>4096", "did you mean numel?"),
        std::pair("stag:1", "did you mean stage?")})
    EXPECT_THAT(message(text), testing::AllOf(testing::HasSubstr("no property"),
                                              testing::HasSubstr(nearest)));
}

TEST(TensorFilter, AnUnknownValueNamesTheNearest) {
  EXPECT_THAT(message("kind:gradent"),
              testing::HasSubstr("no kind 'gradent'; did you mean gradient? "
                                 "(input, preactivation, activation, "
                                 "loss, lossScale, activationGradient, "
                                 "gradient, optimizerState, update, weight)"));
  EXPECT_THAT(message("at:microbatch"),
              testing::HasSubstr("did you mean microBatch? (microBatch, "
                                 "accumulated, reduced, applied)"));
  EXPECT_THAT(message("dtype:float32"),
              testing::HasSubstr("did you mean float?"));
  EXPECT_THAT(message("kind:x*"), testing::HasSubstr("no kind 'x*'"));
}

TEST(TensorFilter, ErrorsSayWhatIsExpected) {
  for (const auto &[text, expected] :
       {std::pair("name~\"[\"", "not a regular expression: missing ]"),
        std::pair("name~(conv", "not a regular expression: missing )"),
        std::pair("name~ & conv", "expected a regular expression after '~'"),
        std::pair("kind: & conv", "expected a value after 'kind:'"),
        std::pair("kind != gradient", "as in !kind:input"),
        std::pair("name<3", "'name' is compared by ':' or '~'"),
        std::pair("numel=10", "'numel' is compared by ':', '<'"),
        std::pair("numel>many", "expected a whole number, not 'many'"),
        std::pair("numel>-1", "expected a whole number, not '-1'"),
        std::pair("numel>99999999999999999999", "this number is too large"),
        std::pair("(conv", "this '(' is not closed"),
        std::pair("conv)", "there is no '(' for this ')'"),
        std::pair("\"conv", "this quote is not closed"),
        std::pair("conv dense", "expected '&' or '|'"),
        std::pair("conv &&& dense", "expected a name or a property"),
        std::pair("or conv", "expected a name or a property"),
        std::pair("", "expected a name or a property")})
    EXPECT_THAT(message(text), testing::HasSubstr(expected)) << text;
}

TEST(TensorFilter, DeepNestingIsAnError) {
  for (const char *sign : {"!", "(", "not ", "!("}) {
    std::string text;
    for (unsigned i = 0; i < 20'000; ++i)
      text += sign;
    EXPECT_THAT(message(text),
                testing::HasSubstr("more than 100 '!' and '(' within"));
  }
  EXPECT_EQ(matches(std::string(100, '!') + "conv").size(),
            matches("conv").size());
}

TEST(TensorFilter, ManyTermsNeedNoDepth) {
  std::string either = "conv", both = "conv";
  for (unsigned i = 0; i < 20'000; ++i) {
    either += " | none";
    both += " & conv";
  }
  EXPECT_EQ(matches(either), matches("conv"));
  EXPECT_EQ(matches(both), matches("conv"));
}

// With backtracking these take longer than anyone waits.
TEST(TensorFilter, NoPatternTakesMoreThanLinearTime) {
  const std::string name(100'000, 'a');
  const TensorTraits traits = tensor(name.c_str(), TensorKind::activation, 1);
  EXPECT_FALSE(TensorFilter::parse("name~((a*)*)*b$").matches(traits));
  EXPECT_FALSE(TensorFilter::parse("name~(a|aa)+$&name~b").matches(traits));
  std::string glob;
  for (unsigned i = 0; i < 30; ++i)
    glob += "*a";
  EXPECT_FALSE(TensorFilter::parse(glob + "b").matches(traits));
}

TEST(TensorFilter, RegularExpressionsKeepTheirUsualSyntax) {
  EXPECT_THAT(matches(R"(name~"^conv_\d\b")"),
              ElementsAre("conv_0/kernel:0_grad", "conv_0/bias:0_grad",
                          "conv_1/kernel:0_grad"));
  EXPECT_THAT(matches(R"(name~"^(?:conv|pool)_[[:digit:]]_\w+?$")"),
              ElementsAre("conv_0_acts"));
  EXPECT_THAT(matches(R"(name~dense\/k[^x]{5}:0$)"),
              ElementsAre("dense/kernel:0"));
}

TEST(TensorFilter, WhatRegularExpressionsLackIsSaid) {
  for (const char *text : {"name~\"(?=conv)\"", "name~(?!bias)",
                           "name~\"(?<=a)b\"", "name~(a)\\1"})
    EXPECT_THAT(message(text),
                testing::HasSubstr("have no backreferences, lookahead"));
  EXPECT_THAT(message("name~\"(a)\\1\""),
              testing::EndsWith("\n  name~\"(a)\\1\"\n           ^"));
}

} // namespace
} // namespace popscope::outfeed
