#include "popops/slices/slice_kernel.hpp"

#include <poputil/OptionParsing.hpp>

#include <map>
#include <string>

namespace popops {

SliceOptions parseSliceOptions(const poplar::OptionFlags &options) {
  using poplibs::OptionHandler;
  bool remap = false, padding = false;
  SliceOptions result;
  // Options that only affect planning are parsed to report errors.
  bool flag = false;
  int choice = 0;
  double proportion = 0;
  std::string constraints;
  const poplibs::OptionSpec spec{
      {"remapOutOfBoundIndices", OptionHandler::createWithBool(remap)},
      {"paddingIndexUsed", OptionHandler::createWithBool(padding)},
      {"validateIndices",
       OptionHandler::createWithBool(result.validateIndices)},
      {"usedForSlice", OptionHandler::createWithBool(flag)},
      {"usedForUpdate", OptionHandler::createWithBool(flag)},
      {"indicesAreSorted", OptionHandler::createWithBool(flag)},
      {"operationForUpdate",
       OptionHandler::createWithEnum(
           choice,
           std::map<std::string, int>{
               {"none", 0}, {"add", 1}, {"max", 2}, {"mul", 3}})},
      {"indicesDistribution",
       OptionHandler::createWithEnum(
           choice,
           std::map<std::string, int>{{"uniform", 0}, {"onePoint", 1}})},
      {"partialType",
       OptionHandler::createWithEnum(
           choice,
           std::map<std::string, int>{{"none", 0}, {"half", 1}, {"float", 2}})},
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(proportion, 0, false, 1)},
      {"internal.alwaysIncludeBaseRearrangementCost",
       OptionHandler::createWithBool(flag)},
      {"planConstraints", OptionHandler::createWithString(constraints)},
  };
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  if (remap)
    result.outOfRange = OutOfRange::startAtZero;
  else if (padding)
    result.outOfRange = OutOfRange::zero;
  return result;
}

} // namespace popops
