// 8-bit floats against PyTorch's, in casts, products and convolutions.
#include "tests/ipumodel/operator_model.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplibstest;
using poputil::poplibs_error;
using testing::HasSubstr;

namespace {

// Sums are rounded to half.
constexpr Tolerance kHalf{1e-6, 1e-3};

Tensor metadata(Graph &graph, const std::string &format, std::int64_t scale) {
  return createVariableMetadataTensor(graph,
                                      format == "F143"
                                          ? QuarterMetadata::Format::F143
                                          : QuarterMetadata::Format::F152,
                                      static_cast<int>(scale));
}

Tensor quarters(OperatorModel &m, const ReferenceCase &c, const char *values,
                const std::string &operand) {
  return popops::cast(m.graph, m.input(FLOAT, c.array(values)), QUARTER,
                      metadata(m.graph, c.text(operand + "format"),
                               c.number(operand + "scale")),
                      m.prog);
}

std::vector<ReferenceCase> casesOf(const std::string &kind) {
  std::vector<ReferenceCase> found;
  for (const ReferenceCase &c : references("quarter"))
    if (c.text("kind") == kind)
      found.push_back(c);
  EXPECT_FALSE(found.empty());
  return found;
}

template <class F> std::string errorOf(F &&f) {
  try {
    f();
  } catch (const poplibs_error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(Quarter, HasTheValuesAndTheRoundingOfPyTorch) {
  for (const ReferenceCase &c : casesOf("cast")) {
    OperatorModel m;
    const Tensor format =
        metadata(m.graph, c.text("format"), c.number("scale"));
    // Values of a quarter are not changed by a cast and back.
    const Tensor exact = popops::cast(m.graph, m.input(FLOAT, c.array("exact")),
                                      QUARTER, format, m.prog);
    m.expect(popops::cast(m.graph, exact, FLOAT, m.prog), c.array("exact"),
             {0, 0}, "exact");
    // The bits themselves, as numbers.
    const auto bitsOf = [&](const Tensor &t) {
      return popops::cast(m.graph, t.reinterpret(UNSIGNED_CHAR), FLOAT, m.prog);
    };
    const auto asFloats = [](const ReferenceArray &ints) {
      return ReferenceArray{
          ints.shape, {ints.ints.begin(), ints.ints.end()}, {}, {}};
    };
    const ReferenceArray bits = asFloats(c.array("bits"));
    const ReferenceArray rounded = asFloats(c.array("rounded"));
    m.expect(bitsOf(exact), bits, {0, 0}, "bits");
    m.expect(bitsOf(popops::cast(m.graph, m.input(FLOAT, c.array("values")),
                                 QUARTER, format, m.prog)),
             rounded, {0, 0}, "rounded");
    m.run();
  }
}

TEST(Quarter, ProductsAndConvolutionsAreThoseOfPyTorch) {
  for (const char *threads : {"1", "3"})
    for (const char *fusion : {"0", "1"}) {
      const ScopedEnv ofThreads("IPUMODEL_THREADS", threads);
      const ScopedEnv ofFusion("IPUMODEL_FUSION", fusion);
      for (const ReferenceCase &c : casesOf("product")) {
        OperatorModel m;
        const Tensor a = quarters(m, c, "a", "x"), b = quarters(m, c, "b", "w");
        m.expect(poplin::matMulGrouped(m.graph, a, b, m.prog, HALF),
                 c.array("product"), kHalf, "product");
        const Tensor arranged = poplin::preArrangeMatMulGroupedInputRHS(
            m.graph, a.shape(), b, m.prog, HALF);
        m.expect(poplin::matMulGrouped(m.graph, a, arranged, m.prog, HALF),
                 c.array("product"), kHalf, "arranged");
        poplin::ConvParams params(QUARTER, HALF, 2, {6, 5}, {3, 2}, 3, 4, 1);
        params.outputTransform.stride = {2, 2};
        params.inputTransform.paddingLower = {1, 1};
        params.inputTransform.paddingUpper = {1, 1};
        m.expect(poplin::convolution(m.graph, quarters(m, c, "x", "x"),
                                     quarters(m, c, "w", "w"), params, false,
                                     m.prog),
                 c.array("y"), kHalf, "convolution");
        m.run();
      }
    }
}

TEST(Quarter, SlicesHaveTheMetadataOfTheirTensor) {
  const ReferenceArray values{{3, 2}, {1, 2, 3, 4, 5, 6}, {}, {}};
  const ReferenceArray expected{{2, 1, 2}, {5, 6, 1, 2}, {}, {}};
  const ReferenceArray last{{1, 2}, {5, 6}, {}, {}};
  OperatorModel m;
  const Tensor t = popops::cast(m.graph, m.input(FLOAT, values), QUARTER,
                                metadata(m.graph, "F152", -5), m.prog);
  const Tensor offsets =
      m.graph.addConstant<unsigned>(UNSIGNED_INT, {2, 1}, {2, 0});
  m.graph.setTileMapping(offsets, 0);
  m.expect(popops::cast(m.graph,
                        popops::multiSlice(m.graph, t, offsets, {0}, {1},
                                           m.prog, popops::SlicePlan(), {}),
                        FLOAT, m.prog),
           expected, {0, 0}, "slices");
  m.expect(popops::cast(
               m.graph,
               popops::dynamicSlice(m.graph, t, offsets[0], {0}, {1}, m.prog),
               FLOAT, m.prog),
           last, {0, 0}, "slice");
  m.run();
}

TEST(Quarter, GradientsOfWeightsAreHalf) {
  const ReferenceArray x{{1, 1, 3}, {1, 2, 3}, {}, {}};
  const ReferenceArray g{{1, 1, 2}, {0.5f, -2}, {}, {}};
  const ReferenceArray dw{{1, 1, 1, 2}, {-3.5f, -5}, {}, {}};
  OperatorModel m;
  const auto quarter = [&](const ReferenceArray &values) {
    return popops::cast(m.graph, m.input(FLOAT, values), QUARTER,
                        metadata(m.graph, "F143", 2), m.prog);
  };
  const poplin::ConvParams params(QUARTER, HALF, 1, {3}, {2}, 1, 1, 1);
  m.expect(poplin::calculateWeightDeltas(m.graph, quarter(g), quarter(x),
                                         params, m.prog),
           dw, {0, 0}, "gradient");
  m.run();
}

TEST(Quarter, CreatedOperandsHaveTheirOwnMetadata) {
  OperatorModel m;
  const poplin::ConvParams params(QUARTER, HALF, 1, {3}, {2}, 1, 1, 1);
  EXPECT_TRUE(poplin::createInput(m.graph, params, "in").hasMetadata());
  EXPECT_TRUE(poplin::createWeights(m.graph, params, "w").hasMetadata());
  EXPECT_TRUE(
      poplin::createMatMulInputLHS(m.graph, QUARTER, HALF, {2, 3}, {3, 4}, "a")
          .hasMetadata());
}

TEST(Quarter, ResultsOfOtherTypesAreErrors) {
  OperatorModel m;
  const Tensor a = m.graph.addVariable(QUARTER, {2, 2});
  EXPECT_THAT(errorOf([&] { poplin::matMul(m.graph, a, a, m.prog, FLOAT); }),
              HasSubstr("matMul of quarter: the result must be half"));
  EXPECT_THAT(errorOf([&] { poplin::matMul(m.graph, a, a, m.prog); }),
              HasSubstr("matMul of quarter: the result must be half"));
  const poplin::ConvParams params(QUARTER, FLOAT, 1, {3}, {2}, 1, 1, 1);
  EXPECT_THAT(errorOf([&] { poplin::createInput(m.graph, params); }),
              HasSubstr("convolution of quarter: the result must be half"));
  const Tensor i = m.graph.addVariable(INT, {2, 2});
  EXPECT_THAT(errorOf([&] { poplin::matMul(m.graph, i, i, m.prog); }),
              HasSubstr("matMul of int: only QUARTER, HALF and FLOAT"));
}
