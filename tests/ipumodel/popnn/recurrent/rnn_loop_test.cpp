// Layers whose cells are written here, with popnn::rnn::Rnn.
#include "tests/ipumodel/popnn/recurrent/recurrent_case.hpp"

#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Rnn.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using namespace poplibstest;
using poputil::poplibs_error;
namespace pe = popops::expr;
namespace rnn = popnn::rnn;

namespace {

constexpr Tolerance kTolerance{2e-5, 2e-5}; // as for LSTMs
constexpr Tolerance kExact{0, 0};

// h = activation(x W + h U + b), as in rnn_test.cpp.
struct PlainCell {
  PlainCell(OperatorModel &m, const ReferenceCase &c)
      : m(m), activation(activationOf(c.text("activation"))),
        params(FLOAT, c.array("x").shape[1], c.array("x").shape[0],
               {c.array("x").shape[2], c.array("h0").shape[1]}),
        x(m.input(FLOAT, c.array("x"))), h0(m.input(FLOAT, c.array("h0"))),
        w(m.input(FLOAT, c.array("w"))), u(m.input(FLOAT, c.array("u"))),
        b(m.input(FLOAT, c.array("b"))), g(m.input(FLOAT, c.array("g"))) {}

  Tensor forward(unsigned shards) {
    const Tensor y = rnn::createOutputTensor(m.graph, params, shards);
    OptionFlags options{{"codeReuse", "false"}};
    const std::vector<Tensor> last = rnn::Rnn(
        m.graph, params, false, {h0.expand({0})}, {y, 0}, {x}, nullptr, nullptr,
        {}, {}, m.prog,
        [&](Graph &graph, const rnn::TimeStepState &,
            const rnn::RnnBatchwiseFlags &flags, std::vector<Tensor> &state,
            const rnn::RnnSlice &slice, std::vector<Tensor> &, Sequence *,
            const DebugNameAndId &) {
          EXPECT_FALSE(flags.valid());
          Sequence step;
          const Tensor sum = poplin::matMul(graph, slice.inputs[0], w, step);
          poplin::matMulAcc(graph, sum, 1.0f, state[0][0], u, step);
          popops::addInPlace(graph, sum, b, step);
          popnn::nonLinearityInPlace(graph, activation, sum, step);
          step.add(Copy(sum, state[0][0]));
          return step;
        },
        shards, options);
    EXPECT_EQ(last.size(), 1u);
    return y;
  }

  struct Gradients {
    Tensor x, w, u, b;
  };
  Gradients backward(const Tensor &y, unsigned shards,
                     unsigned stepsPerGather) {
    Graph &graph = m.graph;
    const Gradients grads{Tensor(), graph.clone(w), graph.clone(u),
                          graph.clone(b)};
    for (const Tensor &t : {grads.w, grads.u, grads.b})
      popops::zero(graph, t, m.prog);
    const Tensor none = graph.clone(h0);
    popops::zero(graph, none, m.prog);
    const Tensor sums = rnn::createOutputTensor(graph, params, shards);
    const Tensor before = rnn::shiftRnnTensor(graph, params, y, h0, m.prog, 1);
    OptionFlags options;
    rnn::Rnn(
        graph, params, {none.expand({0})}, {sums, 0}, {g, y}, Tensor(), 1,
        m.prog,
        [&](Graph &graph, const rnn::TimeStepState &,
            const rnn::RnnBatchwiseFlags &, std::vector<Tensor> &state,
            const rnn::RnnSlice &slice, std::vector<Tensor> &, Sequence *,
            const DebugNameAndId &) {
          Sequence step;
          const Tensor grad =
              poplin::matMul(graph, state[0][0], u.transpose(), step);
          popops::addInPlace(graph, grad, slice.inputs[0], step);
          const Tensor sum = popnn::nonLinearityInputGradient(
              graph, activation, slice.inputs[1], grad, step);
          step.add(Copy(sum, state[0][0]));
          step.add(Copy(sum, slice.interimOut[0]));
          return step;
        },
        {x, before},
        [&](Graph &graph, const rnn::RnnSlice &slice, unsigned steps,
            Sequence *, const DebugNameAndId &) {
          EXPECT_LE(steps, stepsPerGather);
          Sequence prog;
          const Tensor sum = slice.interimIn.flatten(0, 2);
          EXPECT_EQ(sum.dim(0), steps * params.batchSize);
          poplin::matMulAcc(graph, grads.w, 1.0f, slice.inputs[0].transpose(),
                            sum, prog);
          poplin::matMulAcc(graph, grads.u, 1.0f, slice.inputs[1].transpose(),
                            sum, prog);
          popops::reduceWithOutput(graph, sum, grads.b, {0},
                                   {popops::Operation::ADD, true}, prog);
          return prog;
        },
        shards, stepsPerGather, options);
    const Tensor dx =
        poplin::matMul(graph, sums.flatten(0, 2), w.transpose(), m.prog)
            .reshape(x.shape());
    return {dx, grads.w, grads.u, grads.b};
  }

  OperatorModel &m;
  popnn::NonLinearityType activation;
  rnn::RnnParams params;
  Tensor x, h0, w, u, b, g;
};

void compareWithPyTorch(unsigned shards, unsigned stepsPerGather) {
  for (const ReferenceCase &c : references("rnn")) {
    OperatorModel m;
    PlainCell cell(m, c);
    const Tensor y = cell.forward(shards);
    const PlainCell::Gradients grads = cell.backward(y, shards, stepsPerGather);
    m.expect(y, c.array("y"), kTolerance, "y");
    m.expect(grads.x, c.array("dx"), kTolerance, "dx");
    m.expect(grads.w, c.array("dw"), kTolerance, "dw");
    m.expect(grads.u, c.array("du"), kTolerance, "du");
    m.expect(grads.b, c.array("db"), kTolerance, "db");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

// Integers, so that sums are exact: h = 2 h + x where a sequence has the step.
struct Lengths {
  static constexpr std::size_t kSteps = 7, kBatch = 3, kSize = 2;
  std::vector<unsigned> lengths;
  unsigned shards;
  unsigned stepsPerGather = 0; // none: upwards

  static ReferenceArray input() {
    ReferenceArray x{{kSteps, kBatch, kSize}, {}, {}, {}};
    for (std::size_t i = 0; i < kSteps * kBatch * kSize; ++i)
      x.floats.push_back(static_cast<float>(i * i % 11) - 5);
    return x;
  }
  unsigned of(std::size_t batch) const {
    return lengths[lengths.size() == 1 ? 0 : batch];
  }

  void run() const {
    const ReferenceArray x = input();
    ReferenceArray last{{1, kBatch, kSize}, {}, {}, {}};
    ReferenceArray all{{kSteps, kBatch, kSize}, {}, {}, {}};
    ReferenceArray sum = last;
    last.floats.assign(kBatch * kSize, 1);
    sum.floats.assign(kBatch * kSize, 0);
    all.floats.assign(x.floats.size(), 0);
    const unsigned longest = *std::max_element(lengths.begin(), lengths.end());
    for (std::size_t i = 0; i < longest; ++i) {
      const std::size_t step = stepsPerGather > 0 ? longest - 1 - i : i;
      for (std::size_t k = 0; k < kBatch * kSize; ++k) {
        float &h = last.floats[k];
        const float in = x.floats[step * kBatch * kSize + k];
        if (step < of(k / kSize))
          h = 2 * h + in;
        all.floats[step * kBatch * kSize + k] = h;
        sum.floats[k] += h * in;
      }
    }
    OperatorModel m;
    ReferenceArray steps{{lengths.size()}, {}, {}, {}};
    for (const unsigned length : lengths)
      steps.ints.push_back(static_cast<int>(length));
    build(m, x, m.input(UNSIGNED_INT, steps), last, all, sum);
  }

  void build(OperatorModel &m, const ReferenceArray &x, const Tensor &steps,
             const ReferenceArray &last, const ReferenceArray &all,
             const ReferenceArray &sum) const {
    const rnn::RnnParams params(FLOAT, kBatch, kSteps, steps, {kSize, kSize});
    const Tensor in = m.input(FLOAT, x);
    const Tensor init = rnn::createInitialState(m.graph, params, true, 1, 1);
    popops::zero(m.graph, init, m.prog);
    const Tensor one = m.graph.addConstant(FLOAT, init.shape(), 1.0f);
    m.graph.setTileMapping(one, 0);
    m.prog.add(Copy(one, init));
    const Tensor sequence = rnn::createOutputTensor(m.graph, params, shards);
    const Tensor total = m.graph.clone(init);
    for (const Tensor &t : {sequence, total})
      popops::zero(m.graph, t, m.prog);
    const auto cell = [&](Graph &graph, const rnn::TimeStepState &time,
                          const rnn::RnnBatchwiseFlags &flags,
                          std::vector<Tensor> &state,
                          const rnn::RnnSlice &slice, std::vector<Tensor> &,
                          Sequence *, const DebugNameAndId &) {
      EXPECT_EQ(flags.valid(), lengths.size() > 1);
      EXPECT_EQ(time.variableSeqFlag.elementType(), BOOL);
      Sequence step;
      const Tensor h = state[0][0];
      if (flags.valid())
        popops::mapInPlace(
            graph, pe::_3 * (pe::_1 + pe::_1 + pe::_2) + pe::_4 * pe::_1,
            {h, slice.inputs[0], flags.mask.expand({1}),
             flags.inverse.expand({1})},
            step);
      else
        popops::mapInPlace(graph, pe::_1 + pe::_1 + pe::_2,
                           {h, slice.inputs[0]}, step);
      if (slice.interimOut.valid())
        step.add(Copy(h, slice.interimOut[0]));
      return step;
    };
    OptionFlags options;
    std::vector<Tensor> states;
    if (stepsPerGather == 0) {
      states =
          rnn::Rnn(m.graph, params, false, {init}, {sequence, 0}, {in}, nullptr,
                   nullptr, {}, {}, m.prog, cell, shards, options);
    } else {
      const auto gather = [&](Graph &graph, const rnn::RnnSlice &slice,
                              unsigned, Sequence *, const DebugNameAndId &) {
        Sequence prog;
        const Tensor products =
            popops::mul(graph, slice.inputs[0], slice.interimIn.flatten(0, 2),
                        prog)
                .reshapePartial(0, 1,
                                {slice.interimIn.dim(0), std::size_t(kBatch)});
        popops::reduceWithOutput(graph, products, total[0], {0},
                                 {popops::Operation::ADD, true}, prog);
        return prog;
      };
      states =
          rnn::Rnn(m.graph, params, {init}, {sequence, 0}, {in}, Tensor(), 1,
                   m.prog, cell, {in}, gather, shards, stepsPerGather, options);
      m.expect(total, sum, kExact, "gathered");
    }
    m.expect(states[0], last, kExact, "last");
    m.expect(sequence, all, kExact, "all");
    m.run();
  }
};

} // namespace

TEST(RnnLoop, ACellMatchesPyTorch) { compareWithPyTorch(1, 1); }
TEST(RnnLoop, ACellMatchesPyTorchInShards) { compareWithPyTorch(2, 1); }
TEST(RnnLoop, WeightGradientsOfSomeStepsAtOnceMatchPyTorch) {
  compareWithPyTorch(1, 2);
  compareWithPyTorch(2, 3);
  compareWithPyTorch(1, 100);
}

TEST(RnnLoop, SequencesHaveLengths) {
  for (const std::vector<unsigned> &lengths :
       {std::vector<unsigned>{4}, {0}, {7}, {7, 3, 5}, {0, 2, 1}, {0, 0, 0}})
    for (const unsigned shards : {1u, 2u, 3u, 5u})
      for (const unsigned stepsPerGather : {0u, 1u, 2u, 3u, 7u}) {
        SCOPED_TRACE(testing::PrintToString(lengths) + ", " +
                     std::to_string(shards) + " shards, " +
                     std::to_string(stepsPerGather) + " steps at once");
        Lengths{lengths, shards, stepsPerGather}.run();
      }
}

// Downwards, with every kind of tensor: out = 10 step + x, made = out +
// interim, interimOut = 2 interim.
TEST(RnnLoop, StepsReadAndWriteTheirPartOfEveryTensor) {
  const std::size_t steps = 5;
  for (const unsigned shards : {1u, 2u}) {
    OperatorModel m;
    const rnn::RnnParams params(FLOAT, 1, steps, {2, 2});
    ReferenceArray x{{steps, 1, 2}, {}, {}, {}},
        interim{{steps, 2, 1, 2}, {}, {}, {}};
    for (std::size_t i = 0; i < steps * 2; ++i)
      x.floats.push_back(static_cast<float>(i));
    for (std::size_t i = 0; i < steps * 4; ++i)
      interim.floats.push_back(static_cast<float>(100 * i));
    ReferenceArray out = x, made = x, doubled = interim;
    for (std::size_t i = 0; i < steps * 2; ++i) {
      out.floats[i] += static_cast<float>(10 * (i / 2));
      made.floats[i] = out.floats[i] + interim.floats[i / 2 * 4 + i % 2];
    }
    for (float &value : doubled.floats)
      value *= 2;
    const Tensor interimIn = m.input(FLOAT, interim);
    Tensor interimOut = m.graph.clone(interimIn);
    const Tensor output = rnn::createOutputTensor(m.graph, params, shards);
    const Tensor created = rnn::createOutputTensor(m.graph, params, shards);
    std::vector<unsigned> shared;
    OptionFlags options;
    const std::vector<Tensor> states = rnn::Rnn(
        m.graph, params, true, {Tensor()}, {}, {Tensor(), m.input(FLOAT, x)},
        &interimIn, &interimOut, {output}, {created}, m.prog,
        [&](Graph &graph, const rnn::TimeStepState &time,
            const rnn::RnnBatchwiseFlags &, std::vector<Tensor> &state,
            const rnn::RnnSlice &slice, std::vector<Tensor> &made,
            Sequence *prog, const DebugNameAndId &) {
          shared.push_back(prog != nullptr);
          EXPECT_FALSE(state[0].valid() || slice.inputs[0].valid() ||
                       time.variableSeqFlag.valid());
          Sequence step;
          const Tensor number = popops::cast(
              graph, popops::add(graph, time.begin, time.counter, step), FLOAT,
              step);
          step.add(Copy(popops::map(graph, pe::_1 + pe::_2 * 10.0f,
                                    {slice.inputs[1], number}, step),
                        slice.outputs[0][0]));
          made[0] = popops::add(graph, slice.outputs[0],
                                slice.interimIn.slice(0, 1), step);
          step.add(
              Copy(popops::add(graph, slice.interimIn, slice.interimIn, step),
                   slice.interimOut));
          return step;
        },
        shards, options);
    EXPECT_FALSE(states[0].valid());
    EXPECT_EQ(shared, shards == 1 ? std::vector<unsigned>{1}
                                  : (std::vector<unsigned>{1, 0}));
    m.expect(output, out, kExact, "output");
    m.expect(created, made, kExact, "created");
    m.expect(interimOut, doubled, kExact, "interimOut");
    m.run();
  }
}

TEST(RnnLoop, WrongArgumentsAreNamed) {
  OperatorModel m;
  const rnn::RnnParams params(FLOAT, 1, 3, {2, 2});
  const Tensor state = rnn::createInitialState(m.graph, params, true, 1, 1);
  const Tensor good = rnn::createInputTensor(m.graph, params, 1);
  const auto message = [&](const Tensor &input, std::size_t created,
                           std::size_t index, unsigned shards,
                           OptionFlags options = {}) -> std::string {
    try {
      rnn::Rnn(
          m.graph, params, false, {state}, {good, index}, {input}, nullptr,
          nullptr, {}, std::vector<Tensor>(created, good), m.prog,
          [](Graph &, const rnn::TimeStepState &,
             const rnn::RnnBatchwiseFlags &, std::vector<Tensor> &,
             const rnn::RnnSlice &, std::vector<Tensor> &, Sequence *,
             const DebugNameAndId &) { return Sequence(); },
          shards, options);
    } catch (const std::exception &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(good, 0, 0, 1), "");
  EXPECT_EQ(message(good.slice(0, 2), 0, 0, 1),
            "Rnn: an input has shape {2,1,2}, which is no sequence of 3 steps "
            "and rank 3");
  EXPECT_EQ(message(good, 1, 0, 1),
            "Rnn: loopFn has not set tensor 0 of those it creates");
  EXPECT_EQ(message(good, 0, 2, 1),
            "Rnn: stateSequence is of state 2, and there are 1");
  EXPECT_EQ(message(good, 0, 0, 0), "Rnn: there must be at least one shard");
  EXPECT_NE(message(good, 0, 0, 1, {{"codeReused", "true"}}), "");
}
