// A product that is only used by an update may be computed there, if the result
// is the same.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>

#include <gtest/gtest.h>
#include <vector>

using namespace poplar;

namespace {

// What happens between the product and the update.
enum class Between {
  nothing,
  weightsRead,
  otherProduct, // with its own update, before this one's
  operandChanged,
  productChanged
};

class Model {
public:
  explicit Model(Between between) {
    program::Sequence prog;
    const Tensor a = add({4, 40}), b = add({40, 9}), c = add({9, 3});
    const Tensor w = add({4, 9}), v = add({4, 9});
    Tensor read = add({4, 3});
    const Tensor product = poplin::matMul(graph_, a, b, prog);
    switch (between) {
    case Between::nothing:
      break;
    case Between::weightsRead:
      poplin::matMulWithOutput(graph_, w, c, read, prog);
      break;
    case Between::otherProduct:
      popops::scaledSubtractFrom(graph_, v, poplin::matMul(graph_, a, b, prog),
                                 0.25f, prog);
      break;
    case Between::operandChanged:
      popops::mulInPlace(graph_, a, 2.0f, prog);
      break;
    case Between::productChanged:
      popops::mulInPlace(graph_, product, 2.0f, prog);
      break;
    }
    popops::scaledAddTo(graph_, w, product, 0.5f, prog);
    outputs_ = concat({w.flatten(), v.flatten(), read.flatten()});
    graph_.createHostRead("outputs", outputs_);
    prog_ = prog;
  }

  std::vector<float> run(const char *fusion) {
    const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
    Engine engine(graph_, prog_);
    engine.load(device_);
    engine.run();
    std::vector<float> values(outputs_.numElements());
    engine.readTensor("outputs", values.data(), values.data() + values.size());
    return values;
  }

private:
  // Short binary fractions, so that sums are exact.
  Tensor add(const std::vector<std::size_t> &shape) {
    const Tensor tensor = graph_.addVariable(FLOAT, shape);
    poputil::mapTensorLinearly(graph_, tensor);
    std::vector<float> values(tensor.numElements());
    for (float &value : values)
      value = float(++count_ % 13) / 4 - 1;
    graph_.setInitialValue(tensor.flatten(), ArrayRef<float>(values));
    return tensor;
  }

  Device device_ = IPUModel().createDevice();
  Graph graph_{device_.getTarget()};
  unsigned count_ = 0;
  Tensor outputs_;
  program::Program prog_;
};

} // namespace

TEST(ProductUpdate, IsWhatBothAreOneByOne) {
  for (const Between between :
       {Between::nothing, Between::weightsRead, Between::otherProduct,
        Between::operandChanged, Between::productChanged}) {
    SCOPED_TRACE(static_cast<int>(between));
    Model model(between);
    EXPECT_EQ(model.run("1"), model.run("0"));
  }
  const auto weights = [](Between between) {
    const std::vector<float> all = Model(between).run("1");
    return std::vector<float>(all.begin(), all.begin() + 36);
  };
  EXPECT_EQ(weights(Between::operandChanged), weights(Between::nothing));
  EXPECT_NE(weights(Between::productChanged), weights(Between::nothing));
}
