// Vertices between operations that the engine runs as one see what they would
// see between operations one by one.
#include "tests/ipumodel/poplar_values/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/Reduce.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>

using namespace poplar;
using program::Execute;
using program::Sequence;

namespace {

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
#include <print.h>

class Sum : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> part;
  poplar::Output<float> sum;
  poplar::Output<unsigned> turn; // how many vertices ran before
  unsigned number;
  bool compute() {
    float all = 0;
    for (unsigned i = 0; i < part.size(); ++i)
      all += part[i];
    *sum = all;
    static unsigned turns = 0;
    *turn = turns++;
    printf("%u\n", number);
    return true;
  }
};
)";

// Where the vertices stand.
enum class Place {
  afterReLU,      // and after the pooling
  beforeReLU,     // which changes in place what they have read
  makesBias,      // from the convolution, for what comes next
  readsBias,      // along with the convolution, which lies elsewhere
  changesWeights, // of the convolution they read
  readsSums,      // over all items, after the convolution
};

struct Result {
  std::vector<float> z, y, sums;
  std::vector<unsigned> turns;
  std::string printed;
};

// Convolution of 19 items, bias, ReLU and max pooling, with vertices that each
// add up some elements.
class Watched {
public:
  Watched(Place place, std::size_t perVertex)
      : perVertex_(perVertex), graph_(device_.getTarget()) {
    std::stringstream codelets(kCodelets);
    graph_.addCodelets(codelets, "-O1");
    const std::size_t field = 6, channels = 4;
    const poplin::ConvParams params(FLOAT, kBatch, {field, field}, {3, 3}, 2,
                                    channels, 1);
    x_ = poplin::createInput(graph_, params, "x");
    w_ = poplin::createWeights(graph_, params, "w");
    const Tensor z = poplin::convolution(graph_, x_, w_, params, false, prog_);
    b_ = poplin::createBiases(graph_, z, "b");
    if (place == Place::makesBias)
      look(z, b_);
    if (place == Place::changesWeights)
      look(z, w_);
    if (place == Place::readsSums)
      look(z, {},
           popops::reduce(graph_, z, {0, 2, 3}, popops::Operation::ADD, prog_));
    if (place == Place::readsBias)
      look(poplar::concat(b_, channelsLast(z).flatten()));
    poplin::addBias(graph_, z, b_, prog_);
    if (place == Place::beforeReLU)
      look(z);
    popnn::nonLinearityInPlace(graph_, popnn::NonLinearityType::RELU, z, prog_);
    if (place == Place::afterReLU)
      look(z);
    const popnn::pooling::PoolParams pool(
        popnn::PoolingType::MAX, {field - 2, field - 2}, {2, 2}, {2, 2}, {0, 0},
        {0, 0}, channels, kBatch, FLOAT);
    const Tensor y = popnn::pooling::pool(graph_, pool, z, prog_, "pool");
    if (place == Place::afterReLU)
      look(y);
    for (const auto &[name, tensor] :
         {std::pair("x", x_), std::pair("w", w_), std::pair("b", b_)})
      graph_.createHostWrite(name, tensor);
    sums_ = poplar::concat(allSums_);
    graph_.createHostRead("turns", poplar::concat(allTurns_));
    for (const auto &[name, tensor] :
         {std::pair("z", z), std::pair("y", y), std::pair("sums", sums_)})
      graph_.createHostRead(name, tensor);
    zSize_ = z.numElements();
    ySize_ = y.numElements();
  }

  Result run() {
    Engine engine(graph_, prog_);
    engine.load(device_);
    std::ostringstream printed;
    engine.setPrintStream(printed);
    std::mt19937 random(3);
    for (const auto &[name, tensor] :
         {std::pair("x", x_), std::pair("w", w_), std::pair("b", b_)}) {
      std::vector<float> values(tensor.numElements());
      for (float &value : values)
        value = static_cast<float>(static_cast<int>(random() % 33) - 16) / 7;
      engine.writeTensor(name, values.data(), values.data() + values.size());
    }
    engine.run();
    engine.run();
    Result result;
    result.z = read<float>(engine, "z", zSize_);
    result.y = read<float>(engine, "y", ySize_);
    result.sums = read<float>(engine, "sums", sums_.numElements());
    result.turns = read<unsigned>(engine, "turns", sums_.numElements());
    result.printed = printed.str();
    return result;
  }

private:
  static constexpr std::size_t kBatch = 19;

  static Device makeDevice() {
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  static Tensor channelsLast(const Tensor &t) {
    return t.dimShuffle({0, 2, 3, 1});
  }
  template <class T>
  static std::vector<T> read(Engine &engine, const char *name,
                             std::size_t count) {
    std::vector<T> values(count);
    engine.readTensor(name, values.data(), values.data() + count);
    return values;
  }

  // Sums of parts of the tensor, in the order of memory, and of `other` go to
  // the first elements of `into` if it is given. The order of the vertices is
  // not that of the parts.
  void look(const Tensor &tensor, const Tensor &into = {},
            const Tensor &other = {}) {
    const Tensor flat =
        tensor.rank() == 4 ? channelsLast(tensor).flatten() : tensor;
    std::vector<Tensor> read;
    for (std::size_t i = 0; i < flat.numElements(); i += perVertex_)
      read.push_back(
          flat.slice(i, std::min(i + perVertex_, flat.numElements())));
    if (other.valid())
      read.push_back(other);
    if (into.valid())
      read.resize(std::min(read.size(), into.numElements()));
    const std::size_t parts = read.size();
    const Tensor sums = into.valid()
                            ? into.flatten().slice(0, parts)
                            : graph_.addVariable(FLOAT, {parts}, "sums");
    const Tensor turns = graph_.addVariable(UNSIGNED_INT, {parts}, "turns");
    graph_.setTileMapping(turns, 0);
    if (!into.valid())
      graph_.setTileMapping(sums, 0);
    const ComputeSet cs = graph_.addComputeSet("look");
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t part = i % 2 ? i : (parts - 1) / 2 * 2 - i;
      const VertexRef vertex = graph_.addVertex(
          cs, "Sum",
          {{"part", read[part]}, {"sum", sums[part]}, {"turn", turns[part]}});
      graph_.setInitialValue(vertex["number"], unsigned(i));
      graph_.setTileMapping(vertex, 0);
    }
    prog_.add(Execute(cs));
    allSums_.push_back(sums);
    allTurns_.push_back(turns);
  }

  const std::size_t perVertex_;
  Device device_ = makeDevice();
  Graph graph_;
  Sequence prog_;
  Tensor x_, w_, b_, sums_;
  std::vector<Tensor> allSums_, allTurns_;
  std::size_t zSize_ = 0, ySize_ = 0;
};

Result runWith(Place place, std::size_t perVertex, const char *fusion,
               const char *threads) {
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  return Watched(place, perVertex).run();
}

// Half an item of the pooled tensor, an item, an item and a half, and far more
// than a group has.
const std::size_t kPerVertex[] = {8, 16, 24, 64, 96, 500};

} // namespace

TEST(VertexFusion, ChangesNoBitAndNoLine) {
  for (const Place place :
       {Place::afterReLU, Place::beforeReLU, Place::makesBias, Place::readsBias,
        Place::changesWeights, Place::readsSums})
    for (const std::size_t perVertex : kPerVertex) {
      SCOPED_TRACE(testing::Message()
                   << "place " << int(place) << ", " << perVertex << " each");
      const Result apart = runWith(place, perVertex, "0", "1");
      for (const char *threads : {"1", "2", "4"}) {
        const Result joined = runWith(place, perVertex, "1", threads);
        EXPECT_EQ(joined.z, apart.z);
        EXPECT_EQ(joined.y, apart.y);
        EXPECT_EQ(joined.sums, apart.sums);
        EXPECT_EQ(joined.printed, apart.printed);
      }
    }
}

// One item after the other goes through all of a chain, so that the first of
// the pooled ones is looked at before the last of those before.
TEST(VertexFusion, VerticesThatReadItemsDoNotEndAChain) {
  const auto mixes = [](Place place, std::size_t perVertex,
                        const char *fusion) {
    const std::vector<unsigned> turns =
        runWith(place, perVertex, fusion, "1").turns;
    const std::size_t numZ = (19 * 64 + perVertex - 1) / perVertex;
    return *std::min_element(turns.begin() + std::ptrdiff_t(numZ),
                             turns.end()) <
           *std::max_element(turns.begin(),
                             turns.begin() + std::ptrdiff_t(numZ));
  };
  for (const std::size_t perVertex : {8, 16, 24}) {
    EXPECT_FALSE(mixes(Place::afterReLU, perVertex, "0")) << perVertex;
    EXPECT_TRUE(mixes(Place::afterReLU, perVertex, "1")) << perVertex;
  }
}
