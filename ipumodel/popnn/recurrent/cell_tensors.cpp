#include "popnn/recurrent/cell_tensors.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

using poplar::Tensor;
using poputil::poplibs_error;

namespace {

std::string nameOf(const poplar::Type &type) {
  return type.toString().cloneAsString();
}

std::string text(const std::vector<std::size_t> &shape) {
  std::string result = "{";
  for (const std::size_t size : shape)
    result += (result.size() > 1 ? "," : "") + std::to_string(size);
  return result + "}";
}

} // namespace

void checkCell(const char *function, const popnn::rnn::RnnParams &params,
               const UnitOrder &order, std::size_t units) {
  const std::string name = function;
  if (params.layerSizes.size() != 2)
    throw poplibs_error(name +
                        ": layerSizes must be the input size and the "
                        "output size, not " +
                        text(params.layerSizes));
  if (params.batchSize == 0 || params.maxTimeSteps == 0 ||
      params.layerSizes[0] == 0 || params.layerSizes[1] == 0)
    throw poplibs_error(name + ": a batch, steps and sizes of 0");
  if (params.dataType != poplar::FLOAT && params.dataType != poplar::HALF)
    throw poplibs_error(name + " of " + nameOf(params.dataType) +
                        ": only HALF and FLOAT are supported");
  if (params.variableTimeSteps() &&
      params.varTimeSteps.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(name +
                        ": the lengths of sequences must be "
                        "UNSIGNED_INT, not " +
                        nameOf(params.varTimeSteps.elementType()));
  UnitOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t unit = 0; unit < units; ++unit)
    if (sorted.size() != units || sorted[unit] != unit)
      throw poplibs_error(name + ": cellOrder must have each unit once");
}

void checkTensor(const char *function, const char *what, const Tensor &tensor,
                 const poplar::Type &type,
                 const std::vector<std::size_t> &shape) {
  const std::string name = std::string(function) + ": " + what;
  if (!tensor.valid())
    throw poplibs_error(name + " is not a valid tensor");
  if (tensor.elementType() != type)
    throw poplibs_error(name + " is " + nameOf(tensor.elementType()) +
                        ", not " + nameOf(type));
  if (tensor.shape() != shape)
    throw poplibs_error(name + " has shape " + tensor.shapeToString() +
                        ", not " + text(shape));
}

Tensor createUnitWeights(poplar::Graph &graph, const poplar::Type &type,
                         std::size_t units, std::size_t inputs,
                         std::size_t outputs,
                         const poplar::DebugContext &debugContext) {
  const Tensor weights =
      graph.addVariable(type, {inputs, units, outputs}, debugContext);
  poputil::mapTensorLinearly(graph, weights);
  return weights.dimShuffle({1, 0, 2});
}

Tensor fromCellOrder(const Tensor &tensor, const UnitOrder &order) {
  std::vector<Tensor> units(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    units[order[i]] = tensor.slice(i, i + 1);
  return concat(units);
}

Tensor toCellOrder(const Tensor &tensor, const UnitOrder &order) {
  std::vector<Tensor> units;
  for (const unsigned unit : order)
    units.push_back(tensor.slice(unit, unit + 1));
  return concat(units);
}

Tensor asMatrix(const Tensor &weights) {
  return weights.dimShuffle({1, 0, 2}).flatten(1, 3);
}

Tensor fromMatrix(const Tensor &matrix, std::size_t units) {
  return matrix.reshapePartial(1, 2, {units, matrix.dim(1) / units})
      .dimShuffle({1, 0, 2});
}

Tensor rowsOf(const Tensor &sequences) {
  return sequences.flatten(0, 2).flatten(1, sequences.rank() - 1);
}

Tensor outputsBefore(const Tensor &initial, const Tensor &outputs) {
  return concat(initial.expand({0}), outputs.slice(0, outputs.dim(0) - 1));
}

} // namespace ipumodel
