#include "tests/ipumodel/operator_model.hpp"
#include "tests/support/instruction_sets.hpp"

#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;
using popnn::PoolingType;
using popnn::pooling::PoolParams;

namespace {

// Averages divide where PyTorch multiplies by the reciprocal.
constexpr Tolerance kFloat{1e-4, 1e-6};

PoolParams paramsOf(const ReferenceCase &c) {
  const std::string &kind = c.text("kind");
  const auto padding = c.list<int>("padding");
  const std::vector<std::size_t> &x = c.array("x").shape;
  return PoolParams(kind == "max"   ? PoolingType::MAX
                    : kind == "avg" ? PoolingType::AVG
                                    : PoolingType::SUM,
                    {x[2], x[3]}, c.list<std::size_t>("kernel"),
                    c.list<unsigned>("stride"), padding, padding, x[1], x[0],
                    FLOAT);
}

// A 1x1x1x4 input pooled by one window of four.
struct TiedWindow : OperatorModel {
  TiedWindow()
      : values{{1, 1, 1, 4}, {2, 2, 1, 2}, {}, {}},
        one{{1, 1, 1, 1}, {6}, {}, {}}, maximum{{1, 1, 1, 1}, {2}, {}, {}},
        params(PoolingType::MAX, {1, 4}, {1, 4}, {1, 1}, {0, 0}, {0, 0}, 1, 1,
               FLOAT) {}
  void check(bool share, std::vector<float> expected) {
    const Tensor in = input(FLOAT, values);
    const Tensor pooled = popnn::pooling::pool(graph, params, in, prog);
    expect(pooled, maximum, {0, 0}, "maximum");
    const Tensor gradient = popnn::pooling::poolInputGradient(
        graph, params, in, pooled, input(FLOAT, one), share, prog);
    ReferenceArray result{{1, 1, 1, 4}, std::move(expected), {}, {}};
    expect(gradient, result, {0, 0}, "gradient");
    run();
  }
  ReferenceArray values, one, maximum;
  PoolParams params;
};

// Whole vectors of channels, several at a time, and the remaining ones.
void checkManyChannels() {
  constexpr std::size_t kChannels = 51;
  ReferenceArray values{{2, kChannels, 4, 4}, {}, {}, {}};
  for (std::size_t i = 0; i < 2 * kChannels * 16; ++i)
    values.floats.push_back(float(i * 7 % 11)); // with ties
  for (const PoolingType type :
       {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM})
    for (const unsigned stride : {1u, 2u})
      for (const bool share : {false, true}) {
        OperatorModel m;
        const auto pooled = [&](const Tensor &x) {
          const PoolParams params(type, {4, 4}, {2, 2}, {stride, stride},
                                  {0, 0}, {0, 0}, x.dim(1), x.dim(0), FLOAT);
          const Tensor y = popnn::pooling::pool(m.graph, params, x, m.prog);
          return concat(popnn::pooling::poolInputGradient(m.graph, params, x, y,
                                                          y, share, m.prog)
                            .flatten(2, 4),
                        y.flatten(2, 4), 2);
        };
        const Tensor x = m.input(FLOAT, values, {0, 2, 3, 1});
        const Tensor together = pooled(x);
        std::vector<Tensor> alone;
        for (std::size_t c = 0; c < kChannels; ++c)
          alone.push_back(pooled(x.slice(c, c + 1, 1)));
        const Tensor difference =
            popops::sub(m.graph, together, concat(alone, 1), m.prog);
        const ReferenceArray none{
            difference.shape(),
            std::vector<float>(difference.numElements(), 0.0f),
            {},
            {}};
        m.expect(difference, none, {0, 0}, "difference");
        m.run();
      }
}

} // namespace

TEST(Pooling, MatchesPyTorchForwardAndBackward) {
  for (const ReferenceCase &c : references("pooling")) {
    OperatorModel m;
    const PoolParams params = paramsOf(c);
    // Alternately row-major and channels last.
    const Tensor x = c.array("x").shape[1] % 2
                         ? m.input(FLOAT, c.array("x"))
                         : m.input(FLOAT, c.array("x"), {0, 2, 3, 1});
    const Tensor y = popnn::pooling::pool(m.graph, params, x, m.prog);
    m.expect(y, c.array("y"), kFloat, "pooled");
    const Tensor g = m.input(FLOAT, c.array("g"));
    m.expect(popnn::pooling::poolInputGradient(m.graph, params, x, y, g, false,
                                               m.prog),
             c.array("dx"), kFloat, "gradient");
    m.run();
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Pooling, EveryTiedMaximumReceivesTheWholeGradient) {
  TiedWindow().check(false, {6, 6, 0, 6});
}

TEST(Pooling, TiedMaximaShareAScaledGradient) {
  TiedWindow().check(true, {2, 2, 0, 2});
}

TEST(Pooling, ManyChannelsArePooledAsEachAloneOnEveryInstructionSet) {
  onEveryInstructionSet(checkManyChannels);
}

TEST(Pooling, MisuseIsRefused) {
  OperatorModel m;
  const ReferenceCase c = references("pooling")[0];
  const PoolParams params = paramsOf(c);
  const Tensor g = m.input(FLOAT, c.array("g"));
  EXPECT_THROW(popnn::pooling::pool(m.graph, params, g.flatten(), m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::pooling::poolInputGradient(m.graph, params, 1, g, m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::pooling::pool(m.graph, params,
                                    m.input(FLOAT, c.array("x")), m.prog, "p",
                                    {{"fast", "true"}}),
               invalid_option);
}

TEST(Pooling, GradientsOfAnotherTypeAreRefused) {
  OperatorModel m;
  const ReferenceCase c = references("pooling")[0];
  const PoolParams params = paramsOf(c);
  const Tensor x = m.input(FLOAT, c.array("x")),
               y = m.input(FLOAT, c.array("g"));
  const Tensor half = m.input(HALF, c.array("g"));
  EXPECT_THROW(popnn::pooling::poolInputGradient(m.graph, params, x, half, y,
                                                 false, m.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::pooling::poolInputGradient(m.graph, params, x, y, half,
                                                 false, m.prog),
               poputil::poplibs_error);
}

TEST(Pooling, WindowsAndFieldsHaveElements) {
  PoolParams params(popnn::PoolingType::MAX, {4}, {2}, {1}, {-2}, {-1}, 1, 1,
                    FLOAT);
  EXPECT_THROW(params.getOutputFieldShape(), poputil::poplibs_error);
  params.kernelShape = {0};
  EXPECT_THROW(params.getOutputFieldShape(), poputil::poplibs_error);
  params.kernelShape = {1};
  EXPECT_NO_THROW(params.getOutputFieldShape());
  params.inputTruncationOrPaddingLower = {-5}; // and padded again
  params.inputTruncationOrPaddingUpper = {3};
  EXPECT_THROW(params.getOutputFieldShape(), poputil::poplibs_error);
}

TEST(Pooling, OfMoreThanThreeDimensionsIsRefused) {
  OperatorModel m;
  const ReferenceArray x{{1, 1, 2, 2, 2, 2}, std::vector<float>(16), {}, {}};
  const PoolParams params(popnn::PoolingType::MAX, {2, 2, 2, 2}, {2, 2, 2, 2},
                          {1, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}, 1, 1,
                          FLOAT);
  EXPECT_THROW(popnn::pooling::pool(m.graph, params, m.input(FLOAT, x), m.prog),
               poputil::poplibs_error);
}

TEST(Pooling, FlopsAreThoseOfElementsThatAreNotPadding) {
  // Windows of 2, 3 and 3 of the 6 elements.
  PoolParams params(popnn::PoolingType::SUM, {6}, {3}, {2}, {1}, {0}, 2, 5,
                    FLOAT);
  EXPECT_EQ(params.getOutputFieldShape(), std::vector<std::size_t>{3});
  EXPECT_EQ(popnn::pooling::getFwdFlops(params), 10u * (2 + 3 + 3));
  EXPECT_EQ(popnn::pooling::getBwdFlops(params), 10u * (2 + 3 + 3));
  params.poolingType = popnn::PoolingType::AVG;
  EXPECT_EQ(popnn::pooling::getFwdFlops(params), 10u * (8 + 3));
  EXPECT_EQ(popnn::pooling::getBwdFlops(params), 10u * (8 + 6));
}
