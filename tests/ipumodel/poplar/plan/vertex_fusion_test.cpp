// Vertices that read the items of a batch run item by item with the operations
// before and after them, and see the same values as if they did not.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using program::Execute;
using program::Sequence;

namespace {

// `where` is the place in memory that the vertex reads from.
const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
#include <print.h>
using namespace poplar;

class Look : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  Output<unsigned> where;
  unsigned runs = 0;
  bool prints;
  bool compute() {
    float sum = 0, least = in[0];
    for (unsigned i = 0; i < in.size(); ++i) {
      sum = sum * 0.75f + in[i];
      least = in[i] < least ? in[i] : least;
    }
    out[0] = sum;
    out[1] = least;
    out[2] = float(++runs);
    *where = unsigned(reinterpret_cast<unsigned long>(&in[0]));
    if (prints)
      printf("%g ", double(sum));
    return true;
  }
};

class Spoil : public Vertex {
public:
  InOut<Vector<float>> data;
  bool compute() { data[0] = -data[0]; return true; }
};
)";

// Between which operations vertices look at a tensor.
enum Place : unsigned {
  beforeBias = 1,
  beforeRelu = 2,
  afterRelu = 4,
  afterPool = 8,
  beforeReluAgain = 16,
  beforeGate = 32, // of the gradient, if it is trained
  afterGate = 64
};

struct Case {
  unsigned places;
  std::size_t batch = 16;
  std::size_t partsOfItem = 1;  // elements of a vertex; 0: two items
  bool readActs = false;        // by the host
  bool backwards = false;       // order of the vertices
  bool spoils = false;          // a vertex changes what the ReLU reads
  bool trains = false;          // the gradient of the pooling follows
  bool gates = false;           // and the gradient of the ReLU
  bool isOdd = false;           // pooling leaves out a line and a column
  std::size_t linesLeftOut = 0; // of these, by the vertices
};

constexpr std::size_t kChannels = 24;

class Block {
public:
  explicit Block(const Case &c) : case_(c) {
    std::stringstream codelets(kCodelets);
    graph_.addCodelets(codelets);
    Sequence prog;
    const std::size_t field = c.isOdd ? 17 : 18;
    const poplin::ConvParams params(FLOAT, c.batch, {field, field}, {3, 3}, 2,
                                    kChannels, 1);
    x_ = poplin::createInput(graph_, params, "x");
    const Tensor w = poplin::createWeights(graph_, params, "w");
    biases_ = graph_.addVariable(FLOAT, {kChannels}, "b");
    poputil::mapTensorLinearly(graph_, biases_);
    const Tensor y = poplin::convolution(graph_, x_, w, params, false, prog);
    look(y, beforeBias, prog);
    poplin::addBias(graph_, y, biases_, prog);
    look(y, beforeRelu, prog);
    look(y, beforeReluAgain, prog);
    if (c.spoils)
      spoil(y, prog);
    popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, y, prog);
    look(y, afterRelu, prog);
    const int left = c.isOdd ? -1 : 0;
    const popnn::pooling::PoolParams pooling{popnn::PoolingType::MAX,
                                             params.getOutputFieldShape(),
                                             {2, 2},
                                             {2, 2},
                                             {0, 0},
                                             {left, left},
                                             kChannels,
                                             c.batch,
                                             FLOAT};
    const Tensor pooled = popnn::pooling::pool(graph_, pooling, y, prog);
    look(pooled, afterPool, prog);
    if (c.readActs)
      read(y);
    const Tensor doubled = popops::mul(graph_, pooled, 2.0f, prog);
    read(doubled);
    if (c.trains) {
      Tensor gradient = popnn::pooling::poolInputGradient(
          graph_, pooling, y, pooled, doubled, true, prog);
      look(gradient, beforeGate, prog);
      if (c.gates)
        gradient = popnn::nonLinearityInputGradient(
            graph_, popnn::NonLinearityType::RELU, y, gradient, prog);
      look(gradient, afterGate, prog);
      read(c.readActs ? gradient : popops::mul(graph_, gradient, 3.0f, prog));
    }
    graph_.createHostWrite("x", x_);
    graph_.createHostWrite("w", w);
    graph_.createHostWrite("b", biases_);
    sizes_ = {x_.numElements(), w.numElements(), kChannels};
    prog_ = prog;
  }

  struct Result {
    std::vector<float> values;
    std::vector<unsigned> where;
    std::string printed;
  };

  Result run(const char *fusion, const char *threads = "2") {
    const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
    const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
    if (!looks_.empty()) {
      read(concat(looks_));
      graph_.createHostRead("where", concat(where_));
    }
    Engine engine(graph_, prog_);
    std::ostringstream printed;
    engine.setPrintStream(printed);
    engine.load(device_);
    std::mt19937 random(1);
    const char *const names[] = {"x", "w", "b"};
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<float> values(sizes_[i]);
      for (float &value : values)
        value = float(int(random() % 2001) - 1000) / 500;
      if (case_.trains && i == 0)
        for (const std::size_t at : {100u, 1200u, 1201u})
          values[at] = std::numeric_limits<float>::quiet_NaN();
      engine.writeTensor(names[i], values.data(),
                         values.data() + values.size());
    }
    engine.run();
    engine.run();
    Result result;
    for (std::size_t i = 0; i < read_.size(); ++i) {
      std::vector<float> values(read_[i]);
      engine.readTensor("read" + std::to_string(i), values.data(),
                        values.data() + values.size());
      result.values.insert(result.values.end(), values.begin(), values.end());
    }
    result.where.resize(where_.size());
    if (!where_.empty())
      engine.readTensor("where", result.where.data(),
                        result.where.data() + result.where.size());
    result.printed = printed.str();
    return result;
  }

private:
  void read(const Tensor &t) {
    graph_.createHostRead("read" + std::to_string(read_.size()), t);
    read_.push_back(t.numElements());
  }

  void look(const Tensor &batch, Place place, Sequence &prog) {
    if (!(case_.places & place))
      return;
    const std::size_t used = batch.dim(2) - case_.linesLeftOut;
    const Tensor flat =
        batch.dimShuffle({0, 2, 3, 1})
            .slice({0, 0, 0, 0}, {batch.dim(0), used, used, batch.dim(1)})
            .flatten();
    const std::size_t item = flat.numElements() / case_.batch;
    const std::size_t part =
        case_.partsOfItem == 0 ? 2 * item : item / case_.partsOfItem;
    const ComputeSet set = graph_.addComputeSet("look");
    const std::size_t count = (flat.numElements() + part - 1) / part;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = case_.backwards ? count - 1 - k : k;
      const Tensor out = graph_.addVariable(FLOAT, {3});
      const Tensor where = graph_.addVariable(UNSIGNED_INT, {});
      const VertexRef vertex = graph_.addVertex(
          set, "Look",
          {{"in",
            flat.slice(i * part, std::min(flat.numElements(), (i + 1) * part))},
           {"out", out},
           {"where", where}});
      graph_.setInitialValue(vertex["prints"], place == beforeRelu);
      for (const Tensor &t : {out, where})
        graph_.setTileMapping(t, 0);
      graph_.setTileMapping(vertex, 0);
      looks_.push_back(out);
      where_.push_back(where.reshape({1}));
    }
    prog.add(Execute(set));
  }

  void spoil(const Tensor &batch, Sequence &prog) {
    const Tensor flat = batch.dimShuffle({0, 2, 3, 1}).flatten();
    const ComputeSet set = graph_.addComputeSet("spoil");
    const VertexRef vertex =
        graph_.addVertex(set, "Spoil", {{"data", flat.slice(7, 9)}});
    graph_.setTileMapping(vertex, 0);
    prog.add(Execute(set));
  }

  const Device device_ = IPUModel().createDevice();
  Graph graph_{device_.getTarget()};
  Case case_;
  Tensor x_, biases_;
  std::vector<std::size_t> sizes_, read_;
  std::vector<Tensor> looks_, where_;
  program::Program prog_;
};

// The bits of values, some of which are NaN.
std::vector<unsigned> bitsOf(const std::vector<float> &values) {
  std::vector<unsigned> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

// What the engine explains, and the result with and without fusion is the same.
std::string explainedFusionOf(const Case &c) {
  const ScopedEnv explain("IPUMODEL_EXPLAIN", "1");
  testing::internal::CaptureStderr();
  const Block::Result joined = Block(c).run("1");
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(bitsOf(joined.values), bitsOf(Block(c).run("0").values));
  return text;
}

const char *const kTrims = "fusion: trim: ";
const char *const kPoolsRelu = "(popnn.pool) also does ";
const char *const kGatesLate = " after vertices\n";

// True if items of one group were read from the same place: then no one stored
// them all.
bool sharePlaces(const std::vector<unsigned> &where) {
  return where[0] == where[1];
}

} // namespace

TEST(VertexFusion, VerticesSeeTheSameValuesInAChain) {
  for (unsigned places = 1; places < 32; ++places)
    for (const std::size_t parts : {1, 4}) {
      SCOPED_TRACE("places " + std::to_string(places) + ", parts " +
                   std::to_string(parts));
      Case c{places};
      c.batch = places % 2 ? 16 : 19;
      c.partsOfItem = parts;
      c.readActs = places % 3 == 0;
      const Block::Result apart = Block(c).run("0");
      for (const char *threads : {"1", "2"}) {
        const Block::Result joined = Block(c).run("1", threads);
        EXPECT_EQ(joined.values, apart.values);
        EXPECT_EQ(joined.printed, apart.printed);
      }
    }
}

TEST(VertexFusion, ATensorThatVerticesReadNeedNotBeStored) {
  for (const unsigned place : {beforeRelu, afterRelu, afterPool}) {
    SCOPED_TRACE(place);
    EXPECT_TRUE(sharePlaces(Block({place}).run("1").where));
    for (const char *fusion : {"0", "-vertices", "-chain", "-private"})
      EXPECT_FALSE(sharePlaces(Block({place}).run(fusion).where)) << fusion;
  }
}

TEST(VertexFusion, ATensorThatTheHostReadsIsStored) {
  Case c{afterRelu};
  c.readActs = true;
  const Block::Result joined = Block(c).run("1");
  EXPECT_FALSE(sharePlaces(joined.where));
  EXPECT_EQ(joined.values, Block(c).run("0").values);
}

TEST(VertexFusion, VerticesThatDoNotReadItemByItemRunSeparately) {
  for (const unsigned places : {unsigned(beforeRelu), unsigned(afterRelu),
                                unsigned(beforeRelu | afterRelu | afterPool)})
    for (const int what : {0, 1, 2}) {
      SCOPED_TRACE(std::to_string(places) + ", " + std::to_string(what));
      Case c{places};
      c.partsOfItem = what == 0 ? 0 : 2;
      c.backwards = what == 1;
      c.spoils = what == 2;
      const Block::Result joined = Block(c).run("1");
      const Block::Result apart = Block(c).run("0");
      EXPECT_EQ(joined.values, apart.values);
      EXPECT_EQ(joined.printed, apart.printed);
    }
  Case wide{afterRelu};
  wide.partsOfItem = 0;
  EXPECT_FALSE(sharePlaces(Block(wide).run("1").where));
  Case backwards{afterRelu};
  backwards.backwards = true;
  EXPECT_FALSE(sharePlaces(Block(backwards).run("1").where));
}

TEST(VertexFusion, PoolingDoesAReluAfterVertices) {
  for (const bool trains : {false, true}) {
    SCOPED_TRACE(trains);
    Case c{beforeRelu};
    c.trains = trains;
    EXPECT_NE(explainedFusionOf(c).find(kPoolsRelu), std::string::npos);
  }
}

TEST(VertexFusion, PoolingDoesNoReluWhoseResultIsReadOtherwise) {
  Case seen{beforeRelu | afterRelu};
  seen.trains = true;
  EXPECT_EQ(explainedFusionOf(seen).find(kPoolsRelu), std::string::npos);
  Case stored{beforeRelu};
  stored.trains = stored.readActs = true;
  EXPECT_EQ(explainedFusionOf(stored).find(kPoolsRelu), std::string::npos);
}

TEST(VertexFusion, WhatNeitherVerticesNorPoolingReadIsNotMade) {
  for (const unsigned places :
       {unsigned(beforeRelu), unsigned(beforeRelu | afterRelu)}) {
    SCOPED_TRACE(places);
    Case c{places};
    c.isOdd = c.trains = true;
    c.linesLeftOut = 1;
    c.partsOfItem = 14; // lines
    EXPECT_NE(explainedFusionOf(c).find(kTrims), std::string::npos);
    c.linesLeftOut = 0;
    c.partsOfItem = 15;
    EXPECT_EQ(explainedFusionOf(c).find(kTrims), std::string::npos);
  }
}

TEST(VertexFusion, VerticesSeeAGradientBeforeItIsGated) {
  for (const unsigned places :
       {unsigned(beforeGate), unsigned(beforeGate | afterGate),
        unsigned(beforeRelu | afterRelu | beforeGate)})
    for (const bool isRead : {false, true}) {
      SCOPED_TRACE(std::to_string(places) + ", " + std::to_string(isRead));
      Case c{places};
      c.trains = c.gates = true;
      c.readActs = isRead;
      c.partsOfItem = 4;
      EXPECT_NE(explainedFusionOf(c).find(kGatesLate), std::string::npos);
      c.isOdd = true; // some elements are in no window
      c.partsOfItem = 5;
      EXPECT_NE(explainedFusionOf(c).find(kGatesLate), std::string::npos);
    }
}
