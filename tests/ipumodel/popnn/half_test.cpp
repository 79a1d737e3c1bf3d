// Operators on halves compared with PyTorch's half precision.
#include "tests/ipumodel/operator_model.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>

#include <sstream>

using namespace poplar;
using namespace poplibstest;
using popnn::NonLinearityType;

namespace {

constexpr double kUlp = 0x1p-10; // of a half, relative, at most

// Both sides sum exactly, since operands are multiples of 1/16, and round once.
constexpr Tolerance kExact{0, 0};
// Both sides compute in float and round once, so the last bit may differ.
constexpr Tolerance kLastBit{0x1p-24, kUlp};
// Our results are exact except for the last rounding; PyTorch adds parts of a
// gradient in half, two or three of them up to 32.
constexpr Tolerance kSumOfParts{2 * 32 * kUlp / 2, 0};
// PyTorch stores the logarithm of the sum, below 16, in half.
constexpr Tolerance kRoundedSum{16 * kUlp / 2, kUlp};

// The cases of one family, with their halves as floats too.
std::vector<ReferenceCase> halves(const std::string &family) {
  std::vector<ReferenceCase> result;
  const Target target = Target::createCPUTarget();
  for (ReferenceCase &c : references("half")) {
    if (c.text("family") != family)
      continue;
    for (auto &entry : c.arrays) {
      ReferenceArray &array = entry.second;
      array.floats.resize(array.halves.size());
      copyDeviceHalfToFloat(target, array.halves.data(), array.floats.data(),
                            array.halves.size());
    }
    result.push_back(std::move(c));
  }
  EXPECT_GE(result.size(), 3u) << family;
  return result;
}

template <class T> T named(const ReferenceCase &c) {
  T value;
  std::istringstream(c.text("name")) >> value;
  return value;
}

poplin::ConvParams convolutionOf(const ReferenceCase &c) {
  const std::vector<std::size_t> &x = c.array("x").shape;
  const std::vector<std::size_t> &w = c.array("w").shape;
  const auto groups = static_cast<std::size_t>(c.number("groups"));
  poplin::ConvParams params(HALF, x[0], {x[2], x[3]}, {w[2], w[3]}, w[1],
                            w[0] / groups, groups);
  params.inputTransform.paddingLower = c.list<unsigned>("padding");
  params.inputTransform.paddingUpper = c.list<unsigned>("padding");
  params.outputTransform.stride = c.list<unsigned>("stride");
  return params;
}

// Softmax is composed of four operators that each round to half, on numbers up
// to 2; the rest is computed in float.
bool isComposed(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX ||
         type == NonLinearityType::SOFTMAX_STABLE;
}
constexpr Tolerance kComposed{4 * kUlp, kUlp};
// A derivative is rounded, and so is its product with the gradient.
constexpr Tolerance kRoundedTwice{0x1p-23, 2 * kUlp};

bool wantsInput(NonLinearityType type) {
  return type == NonLinearityType::GELU || type == NonLinearityType::GELU_ERF ||
         type == NonLinearityType::SWISH;
}

} // namespace

TEST(Half, ProductsAreTheSameAsPyTorchs) {
  for (const ReferenceCase &c : halves("matmul")) {
    OperatorModel m;
    const Tensor a = m.input(HALF, c.array("a")),
                 b = m.input(HALF, c.array("b"));
    m.expect(poplin::matMulGrouped(m.graph, a, b, m.prog, HALF),
             c.array("product"), kExact, "product");
    m.run();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Half, ConvolutionsAreTheSameAsPyTorchsAndGradientsMatch) {
  for (const ReferenceCase &c : halves("convolution")) {
    OperatorModel m;
    const poplin::ConvParams params = convolutionOf(c);
    const Tensor x = m.input(HALF, c.array("x"));
    const Tensor w = m.input(HALF, c.array("w"));
    const Tensor g = m.input(HALF, c.array("g"));
    const Tensor weights = w.reshapePartial(
        0, 1, {params.numConvGroups, params.outputChannelsPerConvGroup});
    m.expect(poplin::convolution(m.graph, x, weights, params, false, m.prog),
             c.array("y"), kExact, "output");
    m.expect(poplin::convolution(m.graph, g, weights,
                                 poplin::getGradientParams(params), true,
                                 m.prog),
             c.array("dx"), kSumOfParts, "gradient of the input");
    m.expect(poplin::calculateWeightDeltas(m.graph, g, x, params, m.prog)
                 .flatten(0, 2),
             c.array("dw"), kSumOfParts, "gradient of the weights");
    m.run();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Half, PoolingMatchesPyTorchs) {
  using popnn::PoolingType;
  for (const ReferenceCase &c : halves("pooling")) {
    OperatorModel m;
    const bool isMax = c.text("kind") == "max";
    const std::vector<std::size_t> &shape = c.array("x").shape;
    const auto padding = c.list<int>("padding");
    const popnn::pooling::PoolParams params(
        isMax ? PoolingType::MAX : PoolingType::AVG, {shape[2], shape[3]},
        c.list<std::size_t>("kernel"), c.list<unsigned>("stride"), padding,
        padding, shape[1], shape[0], HALF);
    const Tensor x = m.input(HALF, c.array("x"));
    const Tensor y = popnn::pooling::pool(m.graph, params, x, m.prog);
    m.expect(y, c.array("y"), isMax ? kExact : kLastBit, c.text("kind"));
    const Tensor g = m.input(HALF, c.array("g"));
    m.expect(popnn::pooling::poolInputGradient(m.graph, params, x, y, g, false,
                                               m.prog),
             c.array("dx"), isMax ? kExact : kSumOfParts,
             "gradient of " + c.text("kind"));
    m.run();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Half, NonLinearitiesMatchPyTorchs) {
  for (const ReferenceCase &c : halves("non_linearity")) {
    OperatorModel m;
    const auto type = named<NonLinearityType>(c);
    const Tensor x = m.input(HALF, c.array("x")),
                 g = m.input(HALF, c.array("g"));
    const Tensor y = popnn::nonLinearity(m.graph, type, x, m.prog);
    m.expect(y, c.array("y"), isComposed(type) ? kComposed : kLastBit,
             c.text("name"));
    m.expect(popnn::nonLinearityInputGradient(
                 m.graph, type, wantsInput(type) ? x : y, g, m.prog),
             c.array("dx"), isComposed(type) ? kComposed : kRoundedTwice,
             "gradient of " + c.text("name"));
    m.run();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Half, DerivativesOfLargeInputsAreFinite) {
  ReferenceArray x{{4}, {-60000, -700, 700, 60000}, {}, {}};
  ReferenceArray g{{4}, {1, 1, 1, 1}, {}, {}},
      expected{{4}, {0, 0, 1, 1}, {}, {}};
  for (const NonLinearityType type :
       {NonLinearityType::GELU, NonLinearityType::GELU_ERF,
        NonLinearityType::SWISH}) {
    OperatorModel m;
    m.expect(popnn::nonLinearityInputGradient(m.graph, type, m.input(HALF, x),
                                              m.input(HALF, g), m.prog),
             expected, kExact, "gradient");
    m.run();
  }
}

// The documented limit of plain softmax; the stable one has no limit.
TEST(Half, SoftmaxOverflowsUnlessStable) {
  ReferenceArray x{{2}, {12, 1}, {}, {}}, zero{{1}, {0}, {}, {}};
  ReferenceArray stable{{2}, {1, 0x1.18p-16}, {}, {}};
  OperatorModel m;
  const Tensor plain = popnn::nonLinearity(m.graph, NonLinearityType::SOFTMAX,
                                           m.input(HALF, x), m.prog);
  const Tensor isNaN = popops::map(
      m.graph, popops::expr::Cast(popops::expr::IsNaN(popops::expr::_1), FLOAT),
      {plain}, m.prog);
  ReferenceArray first{{2}, {1, 0}, {}, {}};
  m.expect(isNaN, first, kExact, "which are no numbers");
  m.expect(plain.slice(1, 2), zero, kExact, "the other element");
  m.expect(popnn::nonLinearity(m.graph, NonLinearityType::SOFTMAX_STABLE,
                               m.input(HALF, x), m.prog),
           stable, {0x1p-24, kUlp}, "stable softmax");
  m.run();
}

TEST(Half, LogSoftmaxMatchesPyTorchs) {
  for (const ReferenceCase &c : halves("log_softmax")) {
    OperatorModel m;
    m.expect(popnn::logSoftmax(m.graph, m.input(HALF, c.array("x")), m.prog),
             c.array("y"), kRoundedSum, "log softmax");
    m.run();
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Half, ReductionsAreTheSameAsPyTorchs) {
  for (const ReferenceCase &c : halves("reduce")) {
    OperatorModel m;
    const auto operation = named<popops::Operation>(c);
    m.expect(popops::reduce(m.graph, m.input(HALF, c.array("x")),
                            c.list<std::size_t>("dims"), operation, m.prog),
             c.array("y"),
             operation == popops::Operation::LOG_ADD ? kLastBit : kExact,
             c.text("name"));
    m.run();
    ASSERT_FALSE(HasFailure());
  }
}
