// Uses the recurrent layers of popnn with their exact types, and every default
// argument. Building this is the test.
#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/Recurrent.hpp>
#include <popnn/Rnn.hpp>

namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poplin::PlanningCache;
using popnn::NonLinearityType;
using DC = DebugContext;
using OF = OptionFlags;
using PC = PlanningCache;
using Pair = std::pair<Tensor, Tensor>;
using Products = std::vector<std::pair<poplin::MatMulParams, OptionFlags>>;
using Sizes = std::vector<std::size_t>;
using T = Tensor;

template <class F> void is(F *) {}

void ofTensors(Graph &graph, const popnn::rnn::RnnParams &params,
               Sequence &prog) {
  using namespace popnn::rnn;
  using P = RnnParams;
  is<T(Graph &, const P &, bool, unsigned, unsigned, const DC &)>(
      createInitialState);
  is<T(Graph &, const P &, unsigned, unsigned, const DC &)>(
      createRecurrentTensor);
  is<T(Graph &, const P &, unsigned, const DC &)>(createInputTensor);
  is<T(Graph &, const P &, unsigned, const DC &)>(createOutputTensor);
  is<T(Graph &, const P &, unsigned, unsigned, const DC &)>(createOutputTensor);
  is<T(Graph &, const P &, const T &, const T &, Sequence &, unsigned,
       const DC &)>(shiftRnnTensor);
  using Ts = std::vector<Tensor>;
  is<Ts(Graph &, const P &, bool, const Ts &, const StateSequence &, const Ts &,
        const T *, T *, const Ts &, const Ts &, Sequence &,
        const LoopBodyType &, unsigned, OptionFlags &, const DC &)>(Rnn);
  is<Ts(Graph &, const P &, const Ts &, const StateSequence &, const Ts &,
        const T &, unsigned, Sequence &, const LoopBodyType &, const Ts &,
        const GatherBodyType &, unsigned, unsigned, OptionFlags &, const DC &)>(
      Rnn);
  const Tensor state = createInitialState(graph, params, true, 1, 1);
  createRecurrentTensor(graph, params, 1, 1);
  createInputTensor(graph, params, 1);
  shiftRnnTensor(graph, params, createOutputTensor(graph, params, 1), state,
                 prog, 1);
}

void ofPlainLayers(Graph &graph, Sequence &prog) {
  using namespace popnn::rnn;
  using U = unsigned;
  using NL = NonLinearityType;
  is<Products(std::size_t, std::size_t, std::size_t, std::size_t, const Type &,
              const Type &, bool, bool)>(getMatMulPrePlanParameters);
  is<uint64_t(U, U, U, U, bool)>(getFwdFlops);
  is<uint64_t(U, U, U, U, bool)>(getBwdFlops);
  is<uint64_t(U, U, U, U)>(getWuFlops);
  is<T(Graph &, U, U, U, U, const Type &, const Type &, bool, const DC &,
       PC *)>(createInput);
  is<T(Graph &, const Type &, U, U, Sequence &, bool, bool, const DC &, PC *)>(
      createFwdState);
  is<T(const T &)>(getOutputFromFwdState);
  is<T(Graph &, U, U, U, U, const Type &, const Type &, bool, const DC &,
       PC *)>(createWeightsInput);
  is<T(Graph &, U, U, const Type &, const Type &, bool, const DC &, PC *)>(
      createWeightsFeedback);
  is<T(Graph &, const T &, const T &, Sequence &, const Type &, bool,
       const DC &, PC *)>(forwardWeightInput);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &, NL,
       const Type &, bool, const DC &, PC *)>(forwardIterate);
  is<T(Graph &, const Type &, U, U, Sequence &, const DC &, PC *)>(
      createBwdState);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, const T &,
          Sequence &, NL, const Type &, const DC &, PC *)>(
      backwardGradientStep);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &, NL,
       const Type &, const DC &, PC *)>(backwardGradientStep);
  is<void(Graph &, const T &, const T &, const T &, T &, T &, T &, Sequence &,
          const Type &, const DC &, PC *)>(paramDeltaUpdate);
  is<T(Graph &, Sequence &, const T &, const T *, const T &, const T &,
       const T &, const T &, const NL &, const Type &, bool, const DC &, PC *)>(
      rnnFwdSequence);
  is<std::tuple<T, T, T, T>(Graph &, bool, bool, Sequence &, const T &,
                            const T &, const T &, const T &, const T &,
                            const T &, const T &, const NL &, const Type &,
                            const DC &, PC *)>(rnnBwdSequence);
  const Type type = poplar::HALF;
  const NL tanh = NL::TANH;
  getMatMulPrePlanParameters(1, 2, 3, 4, type);
  getFwdFlops(1, 2, 3, 4);
  getBwdFlops(1, 2, 3, 4);
  const Tensor x = createInput(graph, 1, 2, 3, 4, type);
  const Tensor w = createWeightsInput(graph, 1, 2, 3, 4, type);
  const Tensor u = createWeightsFeedback(graph, 2, 4, type);
  const Tensor h = createFwdState(graph, type, 2, 4, prog, true, false);
  const Tensor state = createBwdState(graph, type, 2, 4, prog);
  Tensor b, dw, du, db;
  const Tensor y = forwardIterate(graph, forwardWeightInput(graph, x, w, prog),
                                  h, u, b, prog, tanh);
  backwardGradientStep(graph, h, state, h, w, u, prog, tanh);
  backwardGradientStep(graph, h, state, h, u, prog, tanh);
  paramDeltaUpdate(graph, state, x, h, dw, du, db, prog);
  rnnFwdSequence(graph, prog, h, nullptr, b, w, u, x, tanh, type, false);
  rnnBwdSequence(graph, true, true, prog, h, y, b, w, u, y, x, tanh, type);
}

void ofLstms(Graph &graph, const popnn::lstm::LstmParams &params,
             Sequence &prog) {
  using namespace popnn::lstm;
  using P = LstmParams;
  using S = LstmState;
  using W = LstmWeights;
  is<const std::vector<BasicLstmCellUnit>()>(getDefaultBasicLstmCellOrder);
  is<Products(P, OF)>(getMatMulPrePlanParameters);
  is<uint64_t(const P &)>(getBasicLstmCellFwdFlops);
  is<uint64_t(const P &)>(getBasicLstmCellBwdFlops);
  is<uint64_t(const P &)>(getBasicLstmCellWuFlops);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(createInput);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(createInitialOutput);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(
      createInitialCellState);
  is<S(Graph &, const P &, const DC &, const OF &, PC *)>(createInitialState);
  is<void(Graph &, const S &, Sequence &, const DC &)>(zeroInitialState);
  is<Pair(Graph &, const P &, const DC &, const OF &, PC *)>(
      createWeightsKernel);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(createWeightsBiases);
  is<W(Graph &, const P &, const DC &, const OF &, PC *)>(createWeights);
  is<Pair(Graph &, const P &, const S &, const T &, const W &, T *, Sequence &,
          const DC &, const OF &, PC *)>(lstmFwd);
  is<S(Graph &, const P &, Sequence &, const S &, const T &, const W &,
       const T &, const T &, const T &, const S *, T *, T *, const DC &,
       const OF &, PC *)>(lstmBwd);
  is<S(Graph &, const P &, Sequence &, const S &, const T &, const W &,
       const T &, const T &, const T &, const T *, T *, T *, const DC &,
       const OF &, PC *)>(lstmBwd);
  is<W(Graph &, const P &, Sequence &, const S &, const T &, const T &,
       const W &, const T &, const T &, const DC &, const OF &, PC *)>(lstmWU);
  is<S(Graph &, const P &, Sequence &, const S &, const T &, const W &,
       const T &, const T &, const T &, const S *, T *, W &, const DC &,
       const OF &, PC *)>(lstmBwdWithWU);
  is<S(Graph &, const P &, Sequence &, const S &, const T &, const W &,
       const T &, const T &, const T &, const T *, T *, W &, const DC &,
       const OF &, PC *)>(lstmBwdWithWU);
  const S state = createInitialState(graph, params, "state");
  const W weights = createWeights(graph, params, "weights");
  const Tensor x = createInput(graph, params, "x");
  zeroInitialState(graph, state, prog);
  Tensor kept, gates;
  W gradients;
  const Tensor y = lstmFwd(graph, params, state, x, weights, &kept, prog).first;
  const Tensor *noGradient = nullptr;
  lstmBwd(graph, params, prog, state, kept, weights, x, y, y, &state, nullptr,
          &gates);
  lstmBwd(graph, params, prog, state, kept, weights, x, y, y, noGradient,
          nullptr, &gates);
  lstmWU(graph, params, prog, state, kept, gates, weights, x, y);
  lstmBwdWithWU(graph, params, prog, state, kept, weights, x, y, y, &state,
                nullptr, gradients);
  lstmBwdWithWU(graph, params, prog, state, kept, weights, x, y, y, noGradient,
                nullptr, gradients);
}

void ofGrus(Graph &graph, const popnn::gru::GruParams &params, Sequence &prog,
            const Tensor &lengths) {
  using namespace popnn::gru;
  using P = GruParams;
  using W = GruWeights;
  is<const std::vector<BasicGruCellUnit>()>(getDefaultBasicGruCellOrder);
  is<uint64_t(const P &)>(getBasicGruCellFwdFlops);
  is<uint64_t(const P &)>(getBasicGruCellBwdFlops);
  is<uint64_t(const P &)>(getBasicGruCellWuFlops);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(createInput);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(createInitialState);
  is<Pair(Graph &, const P &, const DC &, const OF &, PC *)>(
      createWeightsKernel);
  is<T(Graph &, const P &, const DC &, const OF &, PC *)>(createWeightsBiases);
  is<W(Graph &, const P &, const DC &, const OF &, PC *)>(createWeights);
  is<T(Graph &, const P &, const DC &, const OF &)>(createAttention);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, T *, T *, const DC &, const OF &,
       PC *)>(gruBwd);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, const T &, T *, T *, const DC &,
       const OF &, PC *)>(gruBwd);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, T *, T *, const T &, T *, const DC &,
       const OF &, PC *)>(auGruBwd);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, const T &, T *, T *, const T &, T *,
       const DC &, const OF &, PC *)>(auGruBwd);
  is<W(Graph &, const P &, Sequence &, const T &, const T &, const T &,
       const W &, const T &, const T &, const DC &, const OF &, PC *)>(gruWU);
  is<W(Graph &, const P &, Sequence &, const T &, const T &, const T &,
       const W &, const T &, const T &, const DC &, const OF &, PC *)>(auGruWU);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, T *, W &, const DC &, const OF &,
       PC *)>(gruBwdWithWU);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, const T &, T *, W &, const DC &,
       const OF &, PC *)>(gruBwdWithWU);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, T *, W &, const T &, T *, const DC &,
       const OF &, PC *)>(auGruBwdWithWU);
  is<T(Graph &, const P &, Sequence &, const T &, const T &, const W &,
       const T &, const T &, const T &, const T &, T *, W &, const T &, T *,
       const DC &, const OF &, PC *)>(auGruBwdWithWU);
  const Tensor state = createInitialState(graph, params, "state", {}, nullptr);
  const W weights = createWeights(graph, params, "weights");
  const Tensor x = createInput(graph, params, "x");
  const Tensor a = createAttention(graph, params, "a");
  Tensor kept;
  gruFwd(graph, params, state, x, weights, &kept, prog);
  gruFwd(graph, params, state, x, lengths, weights, &kept, prog);
  auGruFwd(graph, params, state, x, weights, &kept, a, prog);
  auGruFwd(graph, params, state, x, lengths, weights, &kept, a, prog);
}

} // namespace

void useRecurrentLayers(Graph &graph, Sequence &prog, const Tensor &lengths) {
  const popnn::rnn::RnnParams params(poplar::HALF, 1, 2, Sizes{3, 4});
  ofTensors(graph, params, prog);
  ofTensors(graph, {poplar::HALF, 1, 2, lengths, Sizes{3, 4}}, prog);
  ofPlainLayers(graph, prog);
  ofLstms(graph, {poplar::HALF, 1, 2, Sizes{3, 4}}, prog);
  ofLstms(graph, {poplar::HALF, 1, 2, lengths, Sizes{3, 4}}, prog);
  ofGrus(graph, {poplar::HALF, 1, 2, Sizes{3, 4}}, prog, lengths);
  ofGrus(graph, {poplar::HALF, 1, 2, lengths, Sizes{3, 4}}, prog, lengths);
}
