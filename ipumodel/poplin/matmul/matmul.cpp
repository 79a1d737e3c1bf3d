#include "poplar/graph/tensor_checks.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplin/matmul/matmul_kernel.hpp"
#include "poplin/matmul/matmul_plans.hpp"
#include "poplin/quarter_operand.hpp"
#include "poputil/unaliased_input.hpp"

#include <poplin/MatMul.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace poplin {

using ipumodel::MatrixShape;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

using ipumodel::checkMatMulShapes;
using ipumodel::planMatMul;

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
  checkMatMulShapes(a.shape(), b.shape(), rank);
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
  planMatMul(a.elementType(), c.elementType(), a.shape(), b.shape(), options,
             cache);
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
  checkMatMulShapes(a.shape(), b.shape(), rank);
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
  checkMatMulShapes(a, b, rank);
  planMatMul(inputType, outputType, a, b, options, cache);
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
  checkMatMulShapes(aShape, B.shape(), rank);
  planMatMul(B.elementType(), outputType, aShape, B.shape(), options, cache);
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

} // namespace poplin
