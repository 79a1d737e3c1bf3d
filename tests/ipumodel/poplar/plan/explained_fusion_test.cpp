// IPUMODEL_EXPLAIN says what the passes make of PopLibs operators, and a pass
// that is off does nothing.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>

#include <fstream>
#include <gmock/gmock.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kLook = R"(
#include <poplar/Vertex.hpp>
class Look : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() { *out = in[0]; return true; }
};
)";

// A batch from one of several slots, a convolution of it with bias, ReLU and
// max pooling, its gradients, and a matrix product that updates weights.
// Vertices look at the result, and there is a branch, which is not taken.
class Model {
public:
  Model() {
    std::stringstream codelets(kLook);
    graph_.addCodelets(codelets);
    const poplin::ConvParams params(FLOAT, kBatch, {12, 12}, {5, 5}, 8, 8, 1);
    // Channels last, so that an item is stored as convolutions need it.
    const Tensor slots = add(FLOAT, {2, kBatch, 12, 12, 8}, "slots");
    const OptionFlags remap{{"remapOutOfBoundIndices", "true"}};
    const Tensor x = popops::dynamicSlice(graph_, slots, slot_, {0}, {1}, prog_,
                                          "take", remap)[0]
                         .dimRoll(3, 1);
    const Tensor w = poplin::createWeights(graph_, params, "w");
    const Tensor z =
        poplin::convolution(graph_, x, w, params, false, prog_, "conv");
    const Tensor b = poplin::createBiases(graph_, z, "b");
    poplin::addBias(graph_, z, b, prog_, "bias");
    popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, z, prog_,
                               "relu");
    program::Sequence body;
    const Tensor counted = add(FLOAT, {}, "counted");
    popops::addInPlace(graph_, counted, counted, body);
    prog_.add(program::If(taken_, body, program::Sequence()));
    const popnn::pooling::PoolParams pool(popnn::PoolingType::MAX, {8, 8},
                                          {3, 3}, {3, 3}, {0, 0}, {0, 0}, 8,
                                          kBatch, FLOAT);
    const Tensor y = popnn::pooling::pool(graph_, pool, z, prog_, "pool");
    const Tensor seen = look(y);
    const Tensor dy = graph_.clone(y, "dy");
    const Tensor dPool = popnn::pooling::poolInputGradient(
        graph_, pool, z, y, dy, false, prog_, "dpool");
    const Tensor dz = popnn::nonLinearityInputGradient(
        graph_, popnn::NonLinearityType::RELU, z, dPool, prog_, "drelu");
    const Tensor dw =
        poplin::calculateWeightDeltas(graph_, dz, x, params, prog_, "dw");
    const Tensor db = popops::reduce(graph_, dz, {0, 2, 3},
                                     popops::Operation::ADD, prog_, "db");
    const Tensor v = add(FLOAT, {4, 6}, "v");
    const Tensor product =
        poplin::matMul(graph_, add(FLOAT, {4, 40}, "m"),
                       add(FLOAT, {40, 6}, "n"), prog_, "product");
    popops::scaledSubtractFrom(graph_, v, product, 0.5f, prog_, "update");
    read({y, dw, db, v, seen});
    graph_.createHostWrite("slots", slots);
    graph_.createHostWrite("w", w);
    graph_.createHostWrite("b", b);
    graph_.createHostWrite("dy", dy);
    given_ = {{"slots", slots.numElements()},
              {"w", w.numElements()},
              {"b", b.numElements()},
              {"dy", dy.numElements()}};
  }

  // What is written to stderr while the engine is made with these passes.
  std::string explained(const std::string &fusion) {
    const ScopedEnv passes("IPUMODEL_FUSION", fusion);
    const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
    testing::internal::CaptureStderr();
    const Engine engine(graph_, prog_);
    return testing::internal::GetCapturedStderr();
  }

  std::vector<float> results(const std::string &fusion) {
    const ScopedEnv passes("IPUMODEL_FUSION", fusion);
    Engine engine(graph_, prog_);
    engine.load(device_);
    unsigned seed = 1;
    for (const auto &[name, size] : given_) {
      std::vector<float> values(size);
      for (float &value : values)
        value =
            float(int((seed = seed * 1664525u + 1013904223u) >> 28) - 8) / 8;
      engine.writeTensor(name, values.data(), values.data() + size);
    }
    engine.run();
    std::vector<float> all(results_.numElements());
    engine.readTensor("results", all.data(), all.data() + all.size());
    return all;
  }

private:
  static constexpr std::size_t kBatch = 16;

  Tensor add(const Type &type, const std::vector<std::size_t> &shape,
             const char *name) {
    const Tensor tensor = graph_.addVariable(type, shape, name);
    poputil::mapTensorLinearly(graph_, tensor);
    if (type == FLOAT)
      graph_.setInitialValue(tensor, ArrayRef<float>(std::vector<float>(
                                         tensor.numElements(), 0.25f)));
    else
      graph_.setInitialValue(tensor, ArrayRef<unsigned>({1u}));
    return tensor;
  }
  Tensor addDecision() {
    const Tensor taken = graph_.addVariable(INT, {}, "taken");
    graph_.setTileMapping(taken, 0);
    graph_.setInitialValue(taken, 0);
    return taken;
  }
  // The first element of each item.
  Tensor look(const Tensor &batch) {
    const Tensor seen = add(FLOAT, {kBatch}, "seen");
    const ComputeSet looks = graph_.addComputeSet("looks");
    for (std::size_t i = 0; i < kBatch; ++i)
      graph_.setTileMapping(
          graph_.addVertex(
              looks, "Look",
              {{"in", batch[i].dimRoll(0, 2).flatten()}, {"out", seen[i]}}),
          0);
    prog_.add(program::Execute(looks, "looks"));
    return seen;
  }
  void read(const std::vector<Tensor> &tensors) {
    std::vector<Tensor> flat;
    for (const Tensor &tensor : tensors)
      flat.push_back(tensor.flatten());
    results_ = concat(flat);
    graph_.createHostRead("results", results_);
  }

  Device device_ = IPUModel().createDevice();
  Graph graph_{device_.getTarget()};
  program::Sequence prog_;
  const Tensor slot_ = add(UNSIGNED_INT, {1}, "slot");
  const Tensor taken_ = addDecision();
  Tensor results_;
  std::vector<std::pair<std::string, std::size_t>> given_;
};

// A pass, and a line that says it did something.
const std::pair<const char *, const char *> kDone[] = {
    {"chain", "fusion: chain: 'take"},
    {"vertices", "fusion: vertices: 'looks"},
    {"branches", "fusion: branches: 'take"},
    {"epilogue", "fusion: epilogue: 'conv"},
    {"private", "fusion: private: "},
    {"gate", "fusion: gate: 'dpool"},
    {"trim", "fusion: trim: 'conv"},
    {"copy", "fusion: copy: 'take"},
    {"accumulate", "fusion: accumulate: 'product"},
    {"workspace", "fusion: workspace: 'pool"}};

} // namespace

TEST(ExplainedFusion, NamesWhatEveryPassDid) {
  Model model;
  const std::string all = model.explained("1");
  for (const auto &[pass, line] : kDone)
    EXPECT_THAT(all, HasSubstr(line)) << pass;
  EXPECT_THAT(all, HasSubstr("also does 'bias' (poplin.addBias)"));
  EXPECT_THAT(all, HasSubstr("also does 'relu"));
}

TEST(ExplainedFusion, APassThatIsOffDoesNothing) {
  Model model;
  for (const auto &[pass, line] : kDone)
    EXPECT_THAT(model.explained(std::string("-") + pass), Not(HasSubstr(line)));
  EXPECT_EQ(model.explained("0"), "");
}

TEST(ExplainedFusion, NoPassChangesABit) {
  Model model;
  const std::vector<float> apart = model.results("0");
  EXPECT_EQ(model.results("1"), apart);
  for (const auto &[pass, line] : kDone)
    EXPECT_EQ(model.results(std::string("-") + pass), apart) << pass;
}

TEST(ExplainedFusion, IsAsTheReadmeHasIt) {
  const std::string all = Model().explained("1");
  std::ifstream readme(ENGINE_README);
  unsigned lines = 0;
  for (std::string line; std::getline(readme, line);)
    if (line.rfind("fusion: ", 0) == 0) {
      EXPECT_THAT(all, HasSubstr(line + '\n'));
      ++lines;
    }
  EXPECT_GE(lines, 5u);
}

TEST(ExplainedFusion, SaysWhyNot) {
  Model model;
  EXPECT_THAT(
      model.explained("1"),
      HasSubstr("fusion: no private: 'pool' of 'pool' (popnn.pool): not "
                "only the chain uses it\n"));
  EXPECT_THAT(
      model.explained("-accumulate"),
      HasSubstr("fusion: no chain: 'product' (poplin.matMul): it has too "
                "few rows\n"));
}

// A gate by what it changes gives the bits of a ReLU, but it is none.
TEST(ExplainedFusion, AConvolutionDoesNoGate) {
  using namespace popops::expr;
  const Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  const poplin::ConvParams params(FLOAT, 8, {6, 6}, {3, 3}, 2, 3, 1);
  const Tensor x = poplin::createInput(graph, params, "x");
  const Tensor w = poplin::createWeights(graph, params, "w");
  program::Sequence prog;
  const Tensor z =
      poplin::convolution(graph, x, w, params, false, prog, "conv");
  popops::mapInPlace(graph, Select(_1, Const(0), _2 > Const(0)), {z, z}, prog,
                     "gate");
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  testing::internal::CaptureStderr();
  const Engine engine(graph, prog);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("fusion: no epilogue: 'conv' (poplin.convolution) "
                        "cannot also do 'gate' (popops.map)\n"));
}
