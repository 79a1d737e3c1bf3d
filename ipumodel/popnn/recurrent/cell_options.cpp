#include "popnn/recurrent/cell_options.hpp"

#include <poputil/OptionParsing.hpp>

#include <map>
#include <string>

namespace ipumodel {

namespace {

using poplibs::OptionHandler;
using poplibs::OptionSpec;

const std::map<std::string, poplar::Type> kTypes = {{"half", poplar::HALF},
                                                    {"float", poplar::FLOAT}};
// "full" is documented, and refused by PopLibs.
const std::map<std::string, int> kRecomputations = {{"none", 0},
                                                    {"cellAndTanh", 1}};

// Values, of which some are not used.
struct Values {
  bool inferenceOnly, flag = false;
  poplar::Type accumulatorsType, partialsType = poplar::FLOAT;
  double memory = 0;
  int number = 0;
};

CellOptions parse(const OptionSpec &spec, const poplar::OptionFlags &options,
                  const Values &values) {
  poplar::OptionFlags products;
  for (const auto &option : options) {
    spec.parse(option.first, option.second);
    if (option.first == "partialsType" ||
        option.first == "availableMemoryProportion")
      products.set(option.first, option.second);
  }
  return {values.inferenceOnly, values.accumulatorsType, products};
}

} // namespace

CellOptions lstmOptions(const poplar::OptionFlags &options,
                        const poplar::Type &dataType) {
  Values v{false, false, dataType};
  const OptionSpec spec{
      {"inferenceOnly", OptionHandler::createWithBool(v.inferenceOnly)},
      {"preCalcWeights", OptionHandler::createWithBool(v.flag)},
      {"partialsType", OptionHandler::createWithEnum(v.partialsType, kTypes)},
      {"weightAccumulatorsType",
       OptionHandler::createWithEnum(v.accumulatorsType, kTypes)},
      {"recomputationMode",
       OptionHandler::createWithEnum(v.number, kRecomputations)},
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(v.memory, 0)},
      {"numShards", OptionHandler::createWithInteger(v.number)},
      {"rnnCodeReuse", OptionHandler::createWithBool(v.flag)},
      {"rnnStepsPerWU", OptionHandler::createWithInteger(v.number)},
      {"disableWUPartialInterleaving", OptionHandler::createWithBool(v.flag)},
  };
  return parse(spec, options, v);
}

CellOptions gruOptions(const poplar::OptionFlags &options,
                       const poplar::Type &dataType) {
  Values v{true, false, dataType};
  const OptionSpec spec{
      {"inferenceOnly", OptionHandler::createWithBool(v.inferenceOnly)},
      {"partialsType", OptionHandler::createWithEnum(v.partialsType, kTypes)},
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(v.memory, 0)},
      {"numShards", OptionHandler::createWithInteger(v.number)},
      {"rnnCodeReuse", OptionHandler::createWithBool(v.flag)},
  };
  return parse(spec, options, v);
}

} // namespace ipumodel
