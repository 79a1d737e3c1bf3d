#include "poplin/plan_options.hpp"

#include <poputil/OptionParsing.hpp>

#include <map>
#include <string>

namespace ipumodel {

namespace {

using poplibs::OptionHandler;
using poplibs::OptionSpec;

// Receives checked values that are not used.
struct Ignored {
  bool flag;
  double number;
  std::string text;
  int choice;
};

const std::map<std::string, int> kPasses = {{"NONE", 0},
                                            {"INFERENCE_FWD", 1},
                                            {"TRAINING_FWD", 2},
                                            {"TRAINING_BWD", 3},
                                            {"TRAINING_WU", 4},
                                            {"FC_INFERENCE_FWD", 5},
                                            {"FC_TRAINING_FWD", 6},
                                            {"FC_TRAINING_BWD", 7},
                                            {"FC_TRAINING_WU", 8},
                                            {"NONE_MATMUL", 9}};
const std::map<std::string, int> kFullyConnectedPasses = {{"NONE", 0},
                                                          {"INFERENCE_FWD", 1},
                                                          {"TRAINING_FWD", 2},
                                                          {"TRAINING_BWD", 3},
                                                          {"TRAINING_WU", 4}};
const std::map<std::string, int> kPartialsTypes = {{"half", 0}, {"float", 1}};

void check(const OptionSpec &spec, const poplar::OptionFlags &options) {
  for (const auto &option : options)
    spec.parse(option.first, option.second);
}

} // namespace

void checkConvolutionOptions(const poplar::OptionFlags &options) {
  Ignored v;
  const OptionSpec spec{
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(v.number, 0)},
      {"partialsType", OptionHandler::createWithEnum(v.choice, kPartialsTypes)},
      {"partialsType.interTile",
       OptionHandler::createWithEnum(v.choice, kPartialsTypes)},
      {"partialsType.interIPU",
       OptionHandler::createWithEnum(v.choice, kPartialsTypes)},
      {"pass", OptionHandler::createWithEnum(v.choice, kPasses)},
      {"use128BitConvUnitLoad", OptionHandler::createWithBool(v.flag)},
      {"enableMultiStageReduce", OptionHandler::createWithBool(v.flag)},
      {"enableFastReduce", OptionHandler::createWithBool(v.flag)},
      {"enableConvDithering", OptionHandler::createWithBool(v.flag)},
      {"remapOutputTensor", OptionHandler::createWithBool(v.flag)},
      {"planConstraints", OptionHandler::createWithString(v.text)},
      {"planConstraintsOutputFilename",
       OptionHandler::createWithString(v.text)},
      {"gatherConvOutput", OptionHandler::createWithBool(v.flag)},
      {"disableTransformations", OptionHandler::createWithBool(v.flag)},
      {"insertTransformsCycleCountProgs",
       OptionHandler::createWithBool(v.flag)},
      {"disableSRForAMPVertices", OptionHandler::createWithBool(v.flag)},
      {"enableTileLevelExpandDims", OptionHandler::createWithBool(v.flag)},
      {"experimental.convTransformsEstimates",
       OptionHandler::createWithBool(v.flag)},
      {"experimental.slicVmac16", OptionHandler::createWithBool(v.flag)},
  };
  check(spec, options);
}

void checkMatMulOptions(const poplar::OptionFlags &options) {
  Ignored v;
  const OptionSpec spec{
      {"fullyConnectedPass",
       OptionHandler::createWithEnum(v.choice, kFullyConnectedPasses)},
      {"inputRHSIsPreArranged", OptionHandler::createWithBool(v.flag)},
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(v.number, 0)},
      {"partialsType", OptionHandler::createWithEnum(v.choice, kPartialsTypes)},
      {"use128BitConvUnitLoad", OptionHandler::createWithBool(v.flag)},
      {"enableMultiStageReduce", OptionHandler::createWithBool(v.flag)},
      {"enableFastReduce", OptionHandler::createWithBool(v.flag)},
      {"remapOutputTensor", OptionHandler::createWithBool(v.flag)},
      {"planConstraints", OptionHandler::createWithString(v.text)},
      {"gatherOutput", OptionHandler::createWithBool(v.flag)},
      {"disableSRForAMPVertices", OptionHandler::createWithBool(v.flag)},
  };
  check(spec, options);
}

} // namespace ipumodel
