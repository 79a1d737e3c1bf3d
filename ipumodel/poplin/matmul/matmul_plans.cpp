#include "poplin/matmul/matmul_plans.hpp"

#include "poplar/graph/tensor_checks.hpp"
#include "poplin/plan_options.hpp"
#include "poplin/planning_cache.hpp"
#include "poplin/quarter_operand.hpp"

#include <poplin/ConvPreplan.hpp>
#include <poplin/FullyConnected.hpp>
#include <poputil/exceptions.hpp>

#include <tuple>

namespace poplin {

using ipumodel::MatrixShape;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Type;

namespace {

ConvParams asConvolution(const MatMulParams &params) {
  const std::size_t rank = params.aShape.size();
  ipumodel::checkMatMulShapes(params.aShape, params.bShape, rank);
  return ConvParams(params.inputType, params.outputType,
                    params.aShape[rank - 2], {1}, {1}, params.aShape[rank - 1],
                    params.bShape[rank - 1], rank == 3 ? params.aShape[0] : 1);
}

} // namespace

bool operator<(const MatMulParams &a, const MatMulParams &b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
         std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

std::set<ConvPlanParams>
matMulGetConvPlanParams(const std::set<MatMulPlanParams> &matmuls,
                        MatMulToConvOptions &matmulToConvOpts) {
  std::set<ConvPlanParams> convs;
  for (const MatMulPlanParams &matmul : matmuls) {
    const OptionFlags *options = std::get<2>(matmul);
    OptionFlags converted;
    for (const auto &option : *options) {
      if (option.first == "fullyConnectedPass")
        converted.set("pass", option.second == "NONE"
                                  ? std::string("NONE_MATMUL")
                                  : "FC_" + option.second);
      else if (option.first != "inputRHSIsPreArranged")
        converted.set(option.first, option.second);
    }
    const OptionFlags &kept =
        matmulToConvOpts.emplace(options, converted).first->second;
    convs.emplace(std::get<0>(matmul), asConvolution(std::get<1>(matmul)),
                  &kept);
  }
  return convs;
}

void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls,
                    matmul::PlanningCache &cache) {
  preplan({}, matmuls, cache);
}

void matMulReportPlan(std::ostream &out, const Graph &graph,
                      const Type &inputType, const Type &outputType,
                      const MatrixShape &aShape, const MatrixShape &bShape,
                      const OptionFlags &options, PlanningCache *cache) {
  ipumodel::checkMatMulOptions(options);
  reportPlanInfo(out, graph,
                 asConvolution({inputType, outputType, aShape, bShape}), {},
                 cache);
}

void matMulGroupedReportPlan(std::ostream &out, const Graph &graph,
                             const Type &inputType, const Type &outputType,
                             const MatrixShape &aShape,
                             const MatrixShape &bShape,
                             const OptionFlags &options, PlanningCache *cache) {
  matMulReportPlan(out, graph, inputType, outputType, aShape, bShape, options,
                   cache);
}

void matmulValidateOptions(const OptionFlags &options) {
  ipumodel::checkMatMulOptions(options);
}

namespace fc {

std::vector<std::pair<MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters,
                           OptionFlags matmulOptions, Type type,
                           bool inferenceOnly) {
  const std::size_t g = parameters.numGroups, n = parameters.batchSize,
                    i = parameters.inputSize, o = parameters.outputSize;
  std::vector<std::pair<MatMulParams, OptionFlags>> result;
  const auto add = [&](const char *pass, MatrixShape a, MatrixShape b) {
    OptionFlags options = matmulOptions;
    options.set("fullyConnectedPass", pass);
    result.emplace_back(MatMulParams{type, type, std::move(a), std::move(b)},
                        options);
  };
  if (inferenceOnly) {
    add("INFERENCE_FWD", {g, n, i}, {g, i, o});
    return result;
  }
  add("TRAINING_FWD", {g, n, i}, {g, i, o});
  add("TRAINING_BWD", {g, n, o}, {g, o, i});
  add("TRAINING_WU", {g, i, n}, {g, n, o});
  return result;
}

} // namespace fc
} // namespace poplin

namespace ipumodel {

void checkMatMulShapes(const MatrixShape &a, const MatrixShape &b,
                       std::size_t rank) {
  using poputil::poplibs_error;
  if (a.size() != rank || b.size() != rank)
    throw poplibs_error("matMul: operands of shapes " + shapeText(a) + " and " +
                        shapeText(b) + " do not have rank " +
                        std::to_string(rank));
  if (a[rank - 1] != b[rank - 2])
    throw poplibs_error("matMul: the inner dimensions of " + shapeText(a) +
                        " and " + shapeText(b) + " differ");
  if (rank == 3 && a[0] != b[0])
    throw poplibs_error("matMul: " + shapeText(a) + " and " + shapeText(b) +
                        " have different numbers of groups");
}

void planMatMul(const poplar::Type &inputType, const poplar::Type &outputType,
                const MatrixShape &a, const MatrixShape &b,
                const poplar::OptionFlags &options,
                poplin::PlanningCache *cache) {
  checkTypes("matMul", inputType, outputType);
  checkMatMulOptions(options);
  notePlan(cache, poplin::asConvolution({inputType, outputType, a, b}),
           options);
}

} // namespace ipumodel
