#include "outfeed/tensor_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

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

TEST(TensorFilter, ErrorsPointAtThePlace) {
  const auto message = [](const char *text) -> std::string {
    try {
      TensorFilter::parse(text);
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("conv & "), testing::EndsWith("\n  conv & \n         ^"));
  EXPECT_THAT(message("colour~red"), testing::HasSubstr("no such property"));
  EXPECT_THAT(message("kind:gradent"),
              testing::HasSubstr("kind is one of input, activation, gradient"));
  EXPECT_THAT(message("conv & kind=gradient"),
              testing::AllOf(testing::HasSubstr("kind:gradient"),
                             testing::EndsWith("\n             ^")));
  EXPECT_THAT(message("numel=10"), testing::HasSubstr("a colon joins"));
  EXPECT_THAT(message("at:applied & dtype:double"),
              testing::HasSubstr("dtype is one of float, half"));
  EXPECT_THAT(message("name~\"[\""),
              testing::HasSubstr("not a regular expression"));
  EXPECT_THAT(message("name~(conv"),
              testing::HasSubstr("not a regular expression"));
  EXPECT_THAT(message("name~ & conv"),
              testing::HasSubstr("expected a regular expression"));
  EXPECT_THAT(message("numel>many"), testing::HasSubstr("whole number"));
  EXPECT_THAT(message("(conv"), testing::HasSubstr("expected )"));
  EXPECT_THAT(message("\"conv"), testing::HasSubstr("not closed"));
  EXPECT_THAT(message("conv dense"), testing::HasSubstr("expected & or |"));
}

} // namespace
} // namespace popscope::outfeed
