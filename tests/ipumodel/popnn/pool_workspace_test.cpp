// A pooling may save where the maxima are for its gradient. Whatever
// happens in between, the gradient must match the tensors' present values.
#include "tests/support/instruction_sets.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace poplar;
using program::Sequence;

namespace {

struct PoolCase {
  std::size_t batch, field, channels;
  unsigned window, stride;
  int padding = 0;
  bool shareTies = false;
};

// A pooling, its gradient, and programs made of them.
class Pool {
public:
  explicit Pool(const PoolCase &c)
      : params_(popnn::PoolingType::MAX, {c.field, c.field},
                {c.window, c.window}, {c.stride, c.stride},
                {c.padding, c.padding}, {c.padding, c.padding}, c.channels,
                c.batch, FLOAT),
        shareTies_(c.shareTies), graph(device_.getTarget()) {
    x = field(c.field, "x");
    gradient_ = field(params_.getOutputFieldShape()[0], "g");
    setRandom(x, 4);
    setRandom(gradient_, 64);
  }

  void addForward(Sequence &prog) {
    y = popnn::pooling::pool(graph, params_, x, prog);
  }
  void addGradient(Sequence &prog) { read(gradientOf(prog)); }
  // That of a ReLU before the pooling.
  void addGatedGradient(Sequence &prog) {
    read(popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::RELU,
                                          x, gradientOf(prog), prog));
  }

  // The gradients after the programs have run in that order.
  std::vector<float> run(const std::vector<Sequence> &programs,
                         const std::vector<unsigned> &order) {
    Engine engine(
        graph, std::vector<program::Program>(programs.begin(), programs.end()));
    engine.load(device_);
    std::vector<float> results;
    for (const unsigned program : order) {
      try {
        engine.run(program);
      } catch (const poplar_error &) { // AProgramMayFail
      }
      for (unsigned i = 0; i < numResults_; ++i) {
        std::vector<float> result(x.numElements());
        engine.readTensor("dx" + std::to_string(i), result.data(),
                          result.data() + result.size());
        results.insert(results.end(), result.begin(), result.end());
      }
    }
    return results;
  }

private:
  static Device makeDevice() {
    IPUModel model;
    model.tilesPerIPU = 16;
    return model.createDevice();
  }

  Tensor gradientOf(Sequence &prog) {
    return popnn::pooling::poolInputGradient(graph, params_, x, y, gradient_,
                                             shareTies_, prog);
  }
  void read(const Tensor &dx) {
    graph.createHostRead("dx" + std::to_string(numResults_++), dx);
  }
  Tensor field(std::size_t size, const char *name) {
    const Tensor t = graph.addVariable(
        FLOAT, {params_.batchSize, size, size, params_.numChannels}, name);
    poputil::mapTensorLinearly(graph, t);
    return t.dimRoll(3, 1);
  }
  // Has only a few values, so that some maxima are tied.
  void setRandom(const Tensor &t, int values) {
    std::vector<float> elements(t.numElements());
    for (float &element : elements)
      element = float(int(random_() % (2 * values + 1)) - values) / 4;
    if (elements.size() > 100 && values == 4) {
      elements[50] = std::numeric_limits<float>::quiet_NaN();
      elements[60] = -std::numeric_limits<float>::infinity();
      elements[70] = -0.0F;
    }
    graph.setInitialValue(t, ArrayRef<float>(elements));
  }

  Device device_ = makeDevice();
  std::mt19937 random_{7};
  popnn::pooling::PoolParams params_;
  bool shareTies_;
  Tensor gradient_;
  unsigned numResults_ = 0;

public:
  Graph graph;
  Tensor x, y;
};

// Builds programs of a pool and runs them, separate and fused.
void expectSame(
    const PoolCase &c, const std::vector<unsigned> &order,
    const std::function<std::vector<Sequence>(Pool &)> &makePrograms) {
  const auto results = [&](const char *fusion) {
    const ScopedEnv env("IPUMODEL_FUSION", fusion);
    Pool pool(c);
    const std::vector<Sequence> programs = makePrograms(pool);
    return pool.run(programs, order);
  };
  const std::vector<float> apart = results("0"), joined = results("1");
  ASSERT_EQ(apart.size(), joined.size());
  for (std::size_t i = 0; i < apart.size(); ++i)
    ASSERT_TRUE(apart[i] == joined[i] &&
                std::signbit(apart[i]) == std::signbit(joined[i]))
        << i << ": " << apart[i] << " apart, " << joined[i] << " joined";
}

const PoolCase kGlobal{9, 6, 37, 6, 1};
const std::vector<PoolCase> kCases = {
    kGlobal,          {2, 6, 8, 6, 1},           {16, 11, 40, 5, 2},
    {8, 9, 3, 4, 4},  {8, 8, 32, 4, 4, 2, true}, {9, 6, 5, 6, 1, 0, true},
    {8, 8, 16, 2, 2}, {8, 7, 33, 2, 2, 0, true}, {9, 7, 12, 3, 2, 1, true}};

} // namespace

TEST(PoolWorkspace, ForwardAndGradientAreSeparatePrograms) {
  for (const PoolCase &c : kCases)
    for (const std::vector<unsigned> &order :
         {std::vector<unsigned>{0, 1, 1}, std::vector<unsigned>{1, 0, 1}})
      expectSame(c, order, [](Pool &pool) {
        std::vector<Sequence> programs(2);
        pool.addForward(programs[0]);
        pool.addGradient(programs[1]);
        return programs;
      });
}

TEST(PoolWorkspace, ForwardAndGradientAreInOneProgram) {
  for (const PoolCase &c : kCases)
    expectSame(c, {0, 0}, [](Pool &pool) {
      Sequence prog;
      popops::mulInPlace(pool.graph, pool.x, -1.5f, prog);
      pool.addForward(prog);
      pool.addGradient(prog);
      return std::vector<Sequence>{prog};
    });
}

// Where a maximum is tied, not above zero, or NaN is in the window, too.
TEST(PoolWorkspace, AGateMayFollowTheGradient) {
  onEveryInstructionSet([] {
    for (const PoolCase &c : kCases)
      for (const bool isChanged : {false, true})
        expectSame(c, {0, 0}, [&](Pool &pool) {
          Sequence prog;
          popops::mulInPlace(pool.graph, pool.x, -1.5f, prog);
          pool.addForward(prog);
          if (isChanged)
            popops::subInPlace(pool.graph, pool.y, 0.375f, prog);
          pool.addGatedGradient(prog);
          return std::vector<Sequence>{prog};
        });
  });
}

TEST(PoolWorkspace, TheInputMayChangeInAnotherProgram) {
  expectSame(kGlobal, {0, 1, 2, 1, 0, 1}, [](Pool &pool) {
    std::vector<Sequence> programs(3);
    pool.addForward(programs[0]);
    pool.addGradient(programs[1]);
    popops::mulInPlace(pool.graph, pool.x, -1.0f, programs[2]);
    return programs;
  });
  expectSame(kGlobal, {0, 1, 2, 1}, [](Pool &pool) {
    std::vector<Sequence> programs(3);
    pool.addForward(programs[0]);
    pool.addGradient(programs[1]);
    const Tensor other = pool.graph.clone(pool.x);
    pool.graph.setInitialValue(other.flatten()[3], 100.0f);
    programs[2].add(program::Copy(other, pool.x));
    return programs;
  });
}

TEST(PoolWorkspace, TheResultMayChangeAfterThePooling) {
  expectSame(kGlobal, {0, 0}, [](Pool &pool) {
    Sequence prog;
    pool.addForward(prog);
    popops::subInPlace(pool.graph, pool.y, 0.25f, prog);
    pool.addGradient(prog);
    return std::vector<Sequence>{prog};
  });
}

// The gradient is for a new input and an old result.
TEST(PoolWorkspace, TheGradientMayComeBeforeThePooling) {
  for (const unsigned times : {1u, 2u})
    expectSame(kGlobal, {0, 0, 0}, [&](Pool &pool) {
      Sequence prog, forward, gradient;
      pool.addForward(forward);
      pool.addGradient(gradient);
      popops::mulInPlace(pool.graph, pool.x, -1.0f, prog);
      prog.add(program::Repeat(times, gradient));
      prog.add(forward);
      return std::vector<Sequence>{prog};
    });
}

// The program ends between a change of the input and the pooling.
TEST(PoolWorkspace, AProgramMayFail) {
  expectSame(kGlobal, {0, 1, 2, 0, 1}, [](Pool &pool) {
    std::vector<Sequence> programs(3);
    popops::mulInPlace(pool.graph, pool.x, -1.0f, programs[0]);
    const Tensor stop = pool.graph.addVariable(BOOL, {}, "stop");
    pool.graph.setTileMapping(stop, 0);
    pool.graph.setInitialValue(stop, false);
    programs[0].add(program::AbortOnCondition(stop));
    pool.addForward(programs[0]);
    pool.addGradient(programs[1]);
    const Tensor yes = pool.graph.addConstant(BOOL, {}, true);
    pool.graph.setTileMapping(yes, 0);
    programs[2].add(program::Copy(yes, stop));
    return programs;
  });
}
