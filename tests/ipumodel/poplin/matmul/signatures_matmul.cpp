// Uses every function of the matrix product headers with its exact type, and
// every default argument. Building this is the test.
#include <poplin/ConvPreplan.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>

#include <iostream>
#include <type_traits>

namespace {

using namespace poplin;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Target;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;

template <class F> void is(F *) {}

void products() {
  using Typed =
      Tensor(Graph &, const Tensor &, const Tensor &, Sequence &, const Type &,
             const DebugContext &, const OptionFlags &, PlanningCache *);
  is<Typed>(matMul);
  is<Typed>(matMulGrouped);
  is<Tensor(Graph &, const Tensor &, const Tensor &, Sequence &,
            const DebugContext &, const OptionFlags &, PlanningCache *)>(
      matMul);
  using WithOutput =
      void(Graph &, const Tensor &, const Tensor &, Tensor &, Sequence &,
           const DebugContext &, const OptionFlags &, PlanningCache *);
  is<WithOutput>(matMulWithOutput);
  is<WithOutput>(matMulGroupedWithOutput);
  using ByNumber = void(Graph &, const Tensor &, float, const Tensor &,
                        const Tensor &, Sequence &, const DebugContext &,
                        const OptionFlags &, PlanningCache *);
  using ByTensor = void(Graph &, const Tensor &, const Tensor &, const Tensor &,
                        const Tensor &, Sequence &, const DebugContext &,
                        const OptionFlags &, PlanningCache *);
  is<ByNumber>(matMulAcc);
  is<ByTensor>(matMulAcc);
  is<ByNumber>(matMulGroupedAcc);
  is<ByTensor>(matMulGroupedAcc);
  is<Tensor(const Tensor &)>(transposeGroupedMatrix);
}

void productDefaults(Graph &g, const Tensor &t, Tensor &out, Sequence &prog) {
  matMul(g, t, t, prog, poplar::FLOAT);
  matMul(g, t, t, prog);
  matMul(g, t, t, prog, "name");
  matMulGrouped(g, t, t, prog, poplar::FLOAT);
  matMulWithOutput(g, t, t, out, prog);
  matMulGroupedWithOutput(g, t, t, out, prog);
  matMulAcc(g, t, 1.0f, t, t, prog);
  matMulAcc(g, t, t, t, t, prog);
  matMulGroupedAcc(g, t, 1.0f, t, t, prog);
  matMulGroupedAcc(g, t, t, t, t, prog);
}

void tensors() {
  using TwoTypes =
      Tensor(Graph &, const Type &, const Type &, const Shape &, const Shape &,
             const DebugContext &, const OptionFlags &, PlanningCache *);
  using OneType =
      Tensor(Graph &, const Type &, const Shape &, const Shape &,
             const DebugContext &, const OptionFlags &, PlanningCache *);
  is<TwoTypes>(createMatMulInputLHS);
  is<OneType>(createMatMulInputLHS);
  is<TwoTypes>(createMatMulInputRHS);
  is<OneType>(createMatMulInputRHS);
  is<TwoTypes>(createMatMulOutput);
  is<OneType>(createMatMulOutput);
  is<TwoTypes>(createMatMulGroupedInputLHS);
  is<TwoTypes>(createMatMulGroupedInputRHS);
  is<TwoTypes>(createMatMulGroupedOutput);
  using Arrange =
      Tensor(Graph &, const Shape &, const Tensor &, Sequence &, const Type &,
             const DebugContext &, const OptionFlags &, PlanningCache *);
  is<Arrange>(preArrangeMatMulInputRHS);
  is<Arrange>(preArrangeMatMulGroupedInputRHS);
  is<Tensor(Graph &, const Shape &, const Tensor &, Sequence &,
            const DebugContext &, const OptionFlags &, PlanningCache *)>(
      preArrangeMatMulInputRHS);
}

void tensorDefaults(Graph &g, const Tensor &t, Sequence &prog) {
  const Shape s{2, 2}, grouped{1, 2, 2};
  const Type type = poplar::FLOAT;
  createMatMulInputLHS(g, type, type, s, s, "name");
  createMatMulInputLHS(g, type, s, s, "name");
  createMatMulInputRHS(g, type, type, s, s, "name");
  createMatMulInputRHS(g, type, s, s, "name");
  createMatMulOutput(g, type, type, s, s, "name");
  createMatMulOutput(g, type, s, s, "name");
  createMatMulGroupedInputLHS(g, type, type, grouped, grouped, "name");
  createMatMulGroupedInputRHS(g, type, type, grouped, grouped, "name");
  createMatMulGroupedOutput(g, type, type, grouped, grouped, "name");
  preArrangeMatMulInputRHS(g, s, t, prog, type);
  preArrangeMatMulInputRHS(g, s, t, prog);
  preArrangeMatMulGroupedInputRHS(g, grouped, t, prog, type);
}

void plans(const Graph &graph) {
  using Report =
      void(std::ostream &, const Graph &, const Type &, const Type &,
           const Shape &, const Shape &, const OptionFlags &, PlanningCache *);
  is<Report>(matMulReportPlan);
  is<Report>(matMulGroupedReportPlan);
  matMulReportPlan(std::cout, graph, poplar::FLOAT, poplar::FLOAT, {2, 2},
                   {2, 2});
  matMulGroupedReportPlan(std::cout, graph, poplar::FLOAT, poplar::FLOAT,
                          {1, 2, 2}, {1, 2, 2});
  is<void(const OptionFlags &)>(matmulValidateOptions);
  is<std::set<ConvPlanParams>(const std::set<MatMulPlanParams> &,
                              MatMulToConvOptions &)>(matMulGetConvPlanParams);
  is<void(const std::set<MatMulPlanParams> &, matmul::PlanningCache &)>(
      preplanMatMuls);
  is<void(const std::set<ConvPlanParams> &, const std::set<MatMulPlanParams> &,
          PlanningCache &)>(preplan);
  static_assert(std::is_same<MatMulPlanParams,
                             std::tuple<const Target *, const MatMulParams,
                                        const OptionFlags *>>::value,
                "");
  static_assert(std::is_base_of<PlanningCache, matmul::PlanningCache>::value,
                "");
  const MatMulParams small{poplar::HALF, poplar::FLOAT, {2, 2}, {2, 2}};
  const bool isLess = small < small;
  static_cast<void>(isLess);
}

void fullyConnected() {
  const fc::FullyConnectedParams params{1, 2, 3, 4};
  const std::size_t sizes[] = {params.numGroups, params.batchSize,
                               params.inputSize, params.outputSize};
  static_cast<void>(sizes);
  is<std::vector<std::pair<MatMulParams, OptionFlags>>(
      fc::FullyConnectedParams, OptionFlags, Type, bool)>(
      fc::getMatMulPrePlanParameters);
}

void factorizations(Graph &g, Tensor &t, Sequence &prog) {
  using namespace poplin::experimental;
  is<std::pair<Tensor, Tensor>(Graph &, Tensor &, Sequence &,
                               const DebugContext &)>(LUFactorization);
  is<std::array<Tensor, 2>(Graph &, const Type &, std::size_t, std::size_t,
                           const DebugContext &)>(
      createQRFactorizationMatrices);
  is<void(Graph &, Tensor &, Tensor &, Sequence &, const DebugContext &,
          const OptionFlags &)>(QRFactorization);
  LUFactorization(g, t, prog);
  QRFactorization(g, t, t, prog);
}

} // namespace

// Declared, so that none of the functions above is unused.
void nameEverySignature(Graph &graph, const Tensor &t, Tensor &out,
                        Sequence &prog);

void nameEverySignature(Graph &graph, const Tensor &t, Tensor &out,
                        Sequence &prog) {
  products();
  productDefaults(graph, t, out, prog);
  tensors();
  tensorDefaults(graph, t, prog);
  plans(graph);
  fullyConnected();
  factorizations(graph, out, prog);
}
