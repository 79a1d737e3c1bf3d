#include "tests/ipumodel/operator_model.hpp"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplibstest;
using popnn::NonLinearityType;

namespace {

// Exponentials and error functions are accurate to a few units in the last
// place.
constexpr Tolerance kFloat{4e-6, 4e-6};

NonLinearityType typeOf(const ReferenceCase &c) {
  NonLinearityType type;
  std::istringstream(c.text("name")) >> type;
  return type;
}

// Non-linearities whose gradient is computed from the input.
bool wantsInput(NonLinearityType type) {
  return type == NonLinearityType::HARD_SIGMOID ||
         type == NonLinearityType::GELU || type == NonLinearityType::GELU_ERF ||
         type == NonLinearityType::SWISH;
}

} // namespace

TEST(NonLinearity, MatchesPyTorchForwardInPlaceAndBackward) {
  for (const ReferenceCase &c : references("non_linearity")) {
    if (c.text("name") == "log_softmax")
      continue;
    OperatorModel m;
    const NonLinearityType type = typeOf(c);
    const Tensor x = m.input(FLOAT, c.array("x"));
    const Tensor y = popnn::nonLinearity(m.graph, type, x, m.prog);
    m.expect(y, c.array("y"), kFloat, c.text("name"));
    const Tensor inPlace = m.input(FLOAT, c.array("x"));
    popnn::nonLinearityInPlace(m.graph, type, inPlace, m.prog);
    m.expect(inPlace, c.array("y"), kFloat, c.text("name") + " in place");
    const Tensor g = m.input(FLOAT, c.array("g"));
    m.expect(popnn::nonLinearityInputGradient(
                 m.graph, type, wantsInput(type) ? x : y, g, m.prog),
             c.array("dx"), kFloat, "gradient of " + c.text("name"));
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(NonLinearity, LogSoftmaxMatchesPyTorchForLargeInputs) {
  for (const ReferenceCase &c : references("non_linearity")) {
    if (c.text("name") != "log_softmax")
      continue;
    OperatorModel m;
    const Tensor x = m.input(FLOAT, c.array("x"));
    m.expect(popnn::logSoftmax(m.graph, x, m.prog), c.array("y"), {1e-5, 1e-6},
             "log softmax");
    m.run();
  }
}

TEST(NonLinearity, ScaledSoftmaxTellsItsFactor) {
  OperatorModel m;
  ReferenceArray x{{1, 2}, {0, 0}, {}, {}}, y{{1, 2}, {31000, 31000}, {}, {}};
  float scaling = 0;
  const Tensor out =
      popnn::nonLinearity(m.graph, NonLinearityType::SOFTMAX_SCALED,
                          m.input(FLOAT, x), scaling, m.prog);
  EXPECT_EQ(scaling, 62000.0f);
  m.expect(out, y, {0, 0}, "scaled softmax");
  m.run();
}

TEST(NonLinearity, GradientsOfAnotherShapeOrTypeAreRefused) {
  OperatorModel m;
  ReferenceArray a{{2}, {1, 2}, {}, {}}, b{{3}, {1, 2, 3}, {}, {}};
  const Tensor x = m.input(FLOAT, a);
  for (const NonLinearityType type :
       {NonLinearityType::RELU, NonLinearityType::SOFTMAX})
    for (const Tensor &g : {m.input(FLOAT, b), m.input(HALF, a)})
      EXPECT_THROW(
          popnn::nonLinearityInputGradient(m.graph, type, x, g, m.prog),
          poputil::poplibs_error);
}

TEST(NonLinearity, ComputeSetsGiveTheSameAsPrograms) {
  for (const NonLinearityType type :
       {NonLinearityType::SIGMOID, NonLinearityType::RELU,
        NonLinearityType::TANH, NonLinearityType::GELU,
        NonLinearityType::GELU_ERF, NonLinearityType::SWISH})
    for (const Type &dataType : {FLOAT, HALF}) {
      OperatorModel m;
      ReferenceArray x{{4}, {-1.5f, -0.25f, 0.5f, 3}, {}, {}};
      ReferenceArray g{{4}, {1, -2, 0.5f, 4}, {}, {}};
      const Tensor act = m.input(dataType, x), gradient = m.input(dataType, g);
      const Tensor y = popnn::nonLinearity(m.graph, type, act, m.prog);
      const Tensor dx = popnn::nonLinearityInputGradient(m.graph, type, act,
                                                         gradient, m.prog);
      const Tensor inPlace = m.input(dataType, x);
      ComputeSet cs = m.graph.addComputeSet("both");
      popnn::nonLinearityInPlace(m.graph, type, inPlace, cs);
      const Tensor dxInSet =
          popnn::nonLinearityInputGradient(m.graph, type, act, gradient, cs);
      m.prog.add(program::Execute(cs));
      const ReferenceArray none{{4}, {0, 0, 0, 0}, {}, {}};
      m.expect(popops::sub(m.graph, y, inPlace, m.prog), none, {0, 0},
               "output");
      m.expect(popops::sub(m.graph, dx, dxInSet, m.prog), none, {0, 0},
               "gradient");
      m.run();
    }
}

TEST(NonLinearity, ComputeSetsCannotHoldSoftmaxNorHardSigmoid) {
  OperatorModel m;
  ReferenceArray x{{2}, {1, 2}, {}, {}};
  const Tensor t = m.input(FLOAT, x);
  ComputeSet cs = m.graph.addComputeSet("set");
  for (const NonLinearityType type :
       {NonLinearityType::SOFTMAX, NonLinearityType::SOFTMAX_STABLE,
        NonLinearityType::SOFTMAX_SCALED, NonLinearityType::HARD_SIGMOID}) {
    EXPECT_THROW(popnn::nonLinearityInPlace(m.graph, type, t, cs),
                 poputil::poplibs_error);
    EXPECT_THROW(popnn::nonLinearityInputGradient(m.graph, type, t, t, cs),
                 poputil::poplibs_error);
  }
}
