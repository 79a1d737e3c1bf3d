#include "poplar/graph/tensor_checks.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplin/matmul_kernel.hpp"
#include "poplin/plan_options.hpp"
#include "poplin/planning_cache.hpp"
#include "poplin/quarter_operand.hpp"
#include "poputil/unaliased_input.hpp"

#include <poplin/ConvPreplan.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <tuple>

namespace poplin {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;
using MatrixShape = std::vector<std::size_t>;

namespace {

void checkShapes(const MatrixShape &a, const MatrixShape &b, std::size_t rank) {
  if (a.size() != rank || b.size() != rank)
    throw poplibs_error("matMul: operands of shapes " + ipumodel::shapeText(a) +
                        " and " + ipumodel::shapeText(b) +
                        " do not have rank " + std::to_string(rank));
  if (a[rank - 1] != b[rank - 2])
    throw poplibs_error("matMul: the inner dimensions of " +
                        ipumodel::shapeText(a) + " and " +
                        ipumodel::shapeText(b) + " differ");
  if (rank == 3 && a[0] != b[0])
    throw poplibs_error("matMul: " + ipumodel::shapeText(a) + " and " +
                        ipumodel::shapeText(b) +
                        " have different numbers of groups");
}

void plan(const Type &inputType, const Type &outputType, const MatrixShape &a,
          const MatrixShape &b, const OptionFlags &options,
          PlanningCache *cache) {
  const std::size_t rank = a.size();
  ipumodel::checkTypes("matMul", inputType, outputType);
  ipumodel::checkMatMulOptions(options);
  ipumodel::notePlan(cache,
                     ConvParams(inputType, outputType, a[rank - 2], {1}, {1},
                                a[rank - 1], b[rank - 1], rank == 3 ? a[0] : 1),
                     options);
}

Tensor addMatrix(Graph &graph, const Type &type, const MatrixShape &shape,
                 const DebugContext &debugContext,
                 const Tensor &metadata = {}) {
  const Tensor t = graph.addVariable(type, metadata, shape, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

MatrixShape productShape(const MatrixShape &a, const MatrixShape &b) {
  MatrixShape shape = a;
  shape.back() = b.back();
  return shape;
}

Tensor grouped(const Tensor &t) { return t.rank() == 2 ? t.expand({0}) : t; }

// Appends C = [C +] scale * A * B; all have rank `rank`.
void addProduct(Graph &graph, const Tensor &c, const Tensor &a, const Tensor &b,
                std::size_t rank, float scale, const Tensor *scaleTensor,
                bool accumulate, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options,
                PlanningCache *cache) {
  checkShapes(a.shape(), b.shape(), rank);
  if (a.elementType() != b.elementType())
    throw poplibs_error("matMul: operands are " +
                        a.elementType().toString().cloneAsString() + " and " +
                        b.elementType().toString().cloneAsString());
  if (c.shape() != productShape(a.shape(), b.shape()))
    throw poplibs_error("matMul: the product of " +
                        ipumodel::shapeText(a.shape()) + " and " +
                        ipumodel::shapeText(b.shape()) + " does not match " +
                        ipumodel::shapeText(c.shape()));
  // A QUARTER alone has no scale for k.
  const Type scaleType =
      a.elementType() == poplar::QUARTER ? c.elementType() : a.elementType();
  if (scaleTensor && (scaleTensor->numElements() != 1 ||
                      scaleTensor->elementType() != scaleType))
    throw poplibs_error("matMulAcc: k must be one " +
                        scaleType.toString().cloneAsString());
  plan(a.elementType(), c.elementType(), a.shape(), b.shape(), options, cache);
  std::vector<Tensor> inputs;
  for (const Tensor *factor : {&a, &b})
    inputs.push_back(grouped(ipumodel::unaliasedInput(
        c, ipumodel::widened(graph, *factor, prog, debugContext), graph, prog,
        debugContext)));
  if (scaleTensor)
    inputs.push_back(*scaleTensor);
  if (accumulate)
    inputs.push_back(grouped(c));
  ipumodel::addNative(
      prog, ipumodel::MatrixProduct{scale, scaleTensor != nullptr, accumulate},
      {grouped(c)}, inputs, debugContext);
}

Tensor product(Graph &graph, const Tensor &a, const Tensor &b, std::size_t rank,
               Sequence &prog, const Type &outputType,
               const DebugContext &debugContext, const OptionFlags &options,
               PlanningCache *cache) {
  checkShapes(a.shape(), b.shape(), rank);
  const Tensor c = addMatrix(graph, outputType,
                             productShape(a.shape(), b.shape()), debugContext);
  addProduct(graph, c, a, b, rank, 1.0f, nullptr, false, prog, debugContext,
             options, cache);
  return c;
}

void productInto(Graph &graph, const Tensor &a, const Tensor &b,
                 std::size_t rank, Tensor &out, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options,
                 PlanningCache *cache) {
  if (!out.valid()) {
    out = product(graph, a, b, rank, prog, a.elementType(), debugContext,
                  options, cache);
    return;
  }
  addProduct(graph, out, a, b, rank, 1.0f, nullptr, false, prog, debugContext,
             options, cache);
}

} // namespace

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
              const Type &outputType, const DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *cache) {
  return product(graph, A, B, 2, prog, outputType, debugContext, options,
                 cache);
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &options,
              PlanningCache *cache) {
  return product(graph, A, B, 2, prog, A.elementType(), debugContext, options,
                 cache);
}

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B,
                     Sequence &prog, const Type &outputType,
                     const DebugContext &debugContext,
                     const OptionFlags &options, PlanningCache *cache) {
  return product(graph, A, B, 3, prog, outputType, debugContext, options,
                 cache);
}

void matMulWithOutput(Graph &graph, const Tensor &A_, const Tensor &B_,
                      Tensor &out, Sequence &prog,
                      const DebugContext &debugContext,
                      const OptionFlags &options_, PlanningCache *cache) {
  productInto(graph, A_, B_, 2, out, prog, debugContext, options_, cache);
}

void matMulGroupedWithOutput(Graph &graph, const Tensor &A, const Tensor &B,
                             Tensor &out, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options_,
                             PlanningCache *cache) {
  productInto(graph, A, B, 3, out, prog, debugContext, options_, cache);
}

void matMulAcc(Graph &graph, const Tensor &C, float k, const Tensor &A,
               const Tensor &B, Sequence &prog,
               const DebugContext &debugContext, const OptionFlags &options,
               PlanningCache *cache) {
  addProduct(graph, C, A, B, 2, k, nullptr, true, prog, debugContext, options,
             cache);
}

void matMulAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A,
               const Tensor &B, Sequence &prog,
               const DebugContext &debugContext, const OptionFlags &options,
               PlanningCache *cache) {
  addProduct(graph, C, A, B, 2, 1.0f, &k, true, prog, debugContext, options,
             cache);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, float k, const Tensor &A,
                      const Tensor &B, Sequence &prog,
                      const DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *cache) {
  addProduct(graph, C, A, B, 3, k, nullptr, true, prog, debugContext, options,
             cache);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, const Tensor &k,
                      const Tensor &A, const Tensor &B, Sequence &prog,
                      const DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *cache) {
  addProduct(graph, C, A, B, 3, 1.0f, &k, true, prog, debugContext, options,
             cache);
}

namespace {

enum class Role { lhs, rhs, product };

Tensor createOperand(Graph &graph, Role role, std::size_t rank,
                     const Type &inputType, const Type &outputType,
                     const MatrixShape &a, const MatrixShape &b,
                     const DebugContext &debugContext,
                     const OptionFlags &options, PlanningCache *cache) {
  checkShapes(a, b, rank);
  plan(inputType, outputType, a, b, options, cache);
  switch (role) {
  case Role::lhs:
    return addMatrix(graph, inputType, a, debugContext);
  case Role::rhs:
    return addMatrix(graph, inputType, b, debugContext);
  case Role::product:
    break;
  }
  return addMatrix(graph, outputType, productShape(a, b), debugContext);
}

} // namespace

Tensor createMatMulInputLHS(Graph &graph, const Type &inputType,
                            const Type &outputType, const MatrixShape &aShape,
                            const MatrixShape &bShape,
                            const DebugContext &debugContext,
                            const OptionFlags &options, PlanningCache *cache) {
  return createOperand(graph, Role::lhs, 2, inputType, outputType, aShape,
                       bShape, debugContext, options, cache);
}

Tensor createMatMulInputLHS(Graph &graph, const Type &dataType,
                            const MatrixShape &aShape,
                            const MatrixShape &bShape,
                            const DebugContext &debugContext,
                            const OptionFlags &options, PlanningCache *cache) {
  return createOperand(graph, Role::lhs, 2, dataType, dataType, aShape, bShape,
                       debugContext, options, cache);
}

Tensor createMatMulGroupedInputLHS(Graph &graph, const Type &inputType,
                                   const Type &outputType,
                                   const MatrixShape &aShape,
                                   const MatrixShape &bShape,
                                   const DebugContext &debugContext,
                                   const OptionFlags &options,
                                   PlanningCache *cache) {
  return createOperand(graph, Role::lhs, 3, inputType, outputType, aShape,
                       bShape, debugContext, options, cache);
}

Tensor createMatMulInputRHS(Graph &graph, const Type &inputType,
                            const Type &outputType, const MatrixShape &aShape,
                            const MatrixShape &bShape,
                            const DebugContext &debugContext,
                            const OptionFlags &options, PlanningCache *cache) {
  return createOperand(graph, Role::rhs, 2, inputType, outputType, aShape,
                       bShape, debugContext, options, cache);
}

Tensor createMatMulInputRHS(Graph &graph, const Type &dataType,
                            const MatrixShape &aShape,
                            const MatrixShape &bShape,
                            const DebugContext &debugContext,
                            const OptionFlags &options, PlanningCache *cache) {
  return createOperand(graph, Role::rhs, 2, dataType, dataType, aShape, bShape,
                       debugContext, options, cache);
}

Tensor createMatMulGroupedInputRHS(Graph &graph, const Type &inputType,
                                   const Type &outputType,
                                   const MatrixShape &aShape,
                                   const MatrixShape &bShape,
                                   const DebugContext &debugContext,
                                   const OptionFlags &options,
                                   PlanningCache *cache) {
  return createOperand(graph, Role::rhs, 3, inputType, outputType, aShape,
                       bShape, debugContext, options, cache);
}

Tensor createMatMulOutput(Graph &graph, const Type &inputType,
                          const Type &outputType, const MatrixShape &aShape,
                          const MatrixShape &bShape,
                          const DebugContext &debugContext,
                          const OptionFlags &options, PlanningCache *cache) {
  return createOperand(graph, Role::product, 2, inputType, outputType, aShape,
                       bShape, debugContext, options, cache);
}

Tensor createMatMulOutput(Graph &graph, const Type &dataType,
                          const MatrixShape &aShape, const MatrixShape &bShape,
                          const DebugContext &debugContext,
                          const OptionFlags &options, PlanningCache *cache) {
  return createOperand(graph, Role::product, 2, dataType, dataType, aShape,
                       bShape, debugContext, options, cache);
}

Tensor createMatMulGroupedOutput(Graph &graph, const Type &inputType,
                                 const Type &outputType,
                                 const MatrixShape &aShape,
                                 const MatrixShape &bShape,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options,
                                 PlanningCache *cache) {
  return createOperand(graph, Role::product, 3, inputType, outputType, aShape,
                       bShape, debugContext, options, cache);
}

namespace {

Tensor preArrange(Graph &graph, const MatrixShape &aShape, const Tensor &B,
                  std::size_t rank, Sequence &prog, const Type &outputType,
                  const DebugContext &debugContext, const OptionFlags &options,
                  PlanningCache *cache) {
  checkShapes(aShape, B.shape(), rank);
  plan(B.elementType(), outputType, aShape, B.shape(), options, cache);
  const Tensor arranged =
      addMatrix(graph, B.elementType(), B.shape(), debugContext,
                B.hasMetadata() ? B.getMetadata() : Tensor());
  prog.add(poplar::program::Copy(B, arranged, false, debugContext));
  return arranged;
}

} // namespace

Tensor preArrangeMatMulInputRHS(Graph &graph, const MatrixShape &aShape,
                                const Tensor &B, Sequence &prog,
                                const Type &outputType,
                                const DebugContext &debugContext,
                                const OptionFlags &options,
                                PlanningCache *cache) {
  return preArrange(graph, aShape, B, 2, prog, outputType, debugContext,
                    options, cache);
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const MatrixShape &aShape,
                                const Tensor &B, Sequence &prog,
                                const DebugContext &debugContext,
                                const OptionFlags &options,
                                PlanningCache *cache) {
  return preArrange(graph, aShape, B, 2, prog, B.elementType(), debugContext,
                    options, cache);
}

Tensor preArrangeMatMulGroupedInputRHS(Graph &graph, const MatrixShape &aShape,
                                       const Tensor &B, Sequence &prog,
                                       const Type &outputType,
                                       const DebugContext &debugContext,
                                       const OptionFlags &options,
                                       PlanningCache *cache) {
  return preArrange(graph, aShape, B, 3, prog, outputType, debugContext,
                    options, cache);
}

Tensor transposeGroupedMatrix(const Tensor &A) {
  return A.dimShuffle({0, 2, 1});
}

bool operator<(const MatMulParams &a, const MatMulParams &b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
         std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

namespace {

ConvParams asConvolution(const MatMulParams &params) {
  const std::size_t rank = params.aShape.size();
  checkShapes(params.aShape, params.bShape, rank);
  return ConvParams(params.inputType, params.outputType,
                    params.aShape[rank - 2], {1}, {1}, params.aShape[rank - 1],
                    params.bShape[rank - 1], rank == 3 ? params.aShape[0] : 1);
}

} // namespace

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
