#include <poplin/ConvParams.hpp>
#include <poputil/exceptions.hpp>

#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using poplin::ConvParams;

namespace {

ConvParams fromText(const std::string &json, ConvParams params = {}) {
  std::istringstream stream(json);
  stream >> params;
  return params;
}

} // namespace

TEST(ConvParamsText, IsReadAsItIsPrinted) {
  ConvParams params(HALF, FLOAT, 2, {7, 5}, {3, 2}, 4, 6, 2);
  params.inputTransform.paddingLower = {1, 0};
  params.kernelTransform.flip = {true, false};
  params.outputTransform.stride = {2, 1};
  std::ostringstream text;
  text << params;
  EXPECT_EQ(fromText(text.str()), params);
}

TEST(ConvParamsText, MissingTransformsAreIdentities) {
  const ConvParams read = fromText(R"({
    "dataType": "half", "batchSize": 2, "inputFieldShape": [7, 5],
    "kernelShape": [3, 2], "inputChannelsPerConvGroup": 4,
    "outputChannelsPerConvGroup": 6, "numConvGroups": 2})");
  EXPECT_EQ(read, ConvParams(HALF, 2, {7, 5}, {3, 2}, 4, 6, 2));
}

TEST(ConvParamsText, MissingMembersOfATransformAreThoseOfTheIdentity) {
  ConvParams expected(FLOAT, HALF, 1, {8}, {3}, 1, 1, 1);
  const std::string shapes = R"("inputType": "float", "outputType": "half",
    "batchSize": 1, "inputFieldShape": [8], "kernelShape": [3],
    "inputChannelsPerConvGroup": 1, "outputChannelsPerConvGroup": 1,
    "numConvGroups": 1)";
  expected.inputTransform.paddingUpper = {2};
  expected.kernelTransform.flip = {true};
  expected.outputTransform.stride = {2};
  EXPECT_EQ(fromText("{" + shapes + R"(,
    "inputTransform": {"paddingUpper": [2]},
    "kernelTransform": {"flip": [true]},
    "outputTransform": {"stride": [2]}})"),
            expected);
}

TEST(ConvParamsText, MissingSizesKeepTheirValues) {
  const ConvParams before(HALF, 2, {7, 5}, {3, 2}, 4, 6, 2);
  ConvParams expected = before;
  expected.batchSize = 9;
  EXPECT_EQ(fromText(R"({"batchSize": 9})", before), expected);
}

TEST(ConvParamsText, MistakesAreRefused) {
  const ConvParams before(HALF, 2, {7, 5}, {3, 2}, 4, 6, 2);
  EXPECT_THROW(fromText(R"({"kernelShape": [3]})", before),
               poputil::poplibs_error);
  EXPECT_THROW(fromText(R"({"dataType": "real"})", before),
               poputil::poplibs_error);
}
