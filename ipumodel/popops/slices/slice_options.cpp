#include "popops/slices/slice_kernel.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <map>
#include <string>

namespace ipumodel {

using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

SliceOptions parseSliceOptions(const OptionFlags &options) {
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

void addValidation(Graph &graph, const Tensor &t, const Tensor &offsets,
                   const std::vector<std::size_t> &dims,
                   const SliceOptions &options, Sequence &prog,
                   const DebugContext &context) {
  if (!options.validateIndices || options.outOfRange == OutOfRange::startAtZero)
    return;
  const unsigned padding = options.outOfRange == OutOfRange::zero ? 1 : 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const unsigned limit = static_cast<unsigned>(t.dim(dims[i])) + padding;
    const Tensor isInside =
        popops::map(graph, popops::expr::_1 < popops::expr::Const(limit),
                    {offsets.slice(i, i + 1, 1)}, prog, context);
    const Tensor isValid = popops::reduce(
        graph, isInside, {0, 1}, popops::Operation::LOGICAL_AND, prog, context);
    prog.add(program::AbortOnCondition(
        popops::logicalNot(graph, isValid, prog, context),
        "An offset of a slice is outside the tensor", context));
  }
}

void checkStaticOffsets(const char *function, const Tensor &t,
                        ArrayRef<unsigned> offsets, std::size_t dim,
                        const SliceOptions &options) {
  if (dim >= t.rank())
    throw poplibs_error(std::string(function) + ": there is no dimension " +
                        std::to_string(dim) + " in " + t.shapeToString());
  for (const unsigned offset : offsets) {
    const bool isPadding =
        options.outOfRange == OutOfRange::zero && offset == t.dim(dim);
    if (offset >= t.dim(dim) && !isPadding &&
        options.outOfRange != OutOfRange::startAtZero)
      throw poplibs_error(std::string(function) + ": offset " +
                          std::to_string(offset) + " is outside dimension " +
                          std::to_string(dim) + " of " + t.shapeToString());
  }
}

} // namespace ipumodel
