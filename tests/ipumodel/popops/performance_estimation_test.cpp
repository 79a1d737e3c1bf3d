#include <poplar/Target.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/PerformanceEstimation.hpp>
#include <poputil/cyclesTables.hpp>

#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using namespace popops::internal;
using popops::expr::BinaryOpType;

namespace {

class PerformanceEstimation : public testing::Test {
protected:
  const Target target_ = Target::createIPUTarget(1, "ipu2");
};

TEST_F(PerformanceEstimation, GrowsWithTheElementsAndTheirSize) {
  EXPECT_LT(
      getBinaryOp1DInPlaceEstimate(target_, FLOAT, BinaryOpType::ADD, 100),
      getBinaryOp1DInPlaceEstimate(target_, FLOAT, BinaryOpType::ADD, 1000));
  EXPECT_LT(
      getBinaryOp1DInPlaceEstimate(target_, HALF, BinaryOpType::ADD, 1000),
      getBinaryOp1DInPlaceEstimate(target_, FLOAT, BinaryOpType::ADD, 1000));
  EXPECT_LT(
      getBinaryOp1DInPlaceEstimate(target_, HALF, BinaryOpType::ADD, 1000),
      getBinaryOp1DInPlaceEstimate(target_, HALF, BinaryOpType::POWER, 1000));
  const FillTargetParameters fill(target_);
  EXPECT_LT(getFill1DCycleEstimate(fill, HALF, 1000),
            getFill1DCycleEstimate(fill, FLOAT, 1000));
  EXPECT_GT(getFill2DCycleEstimate(fill, FLOAT, {500, 500}),
            getFill1DCycleEstimate(fill, FLOAT, 1000));
  EXPECT_LT(getDynamicSlice1DEstimate(target_, FLOAT, 64, 1),
            getDynamicSlice1DEstimate(target_, FLOAT, 64, 10));
}

TEST_F(PerformanceEstimation, SharesALargeCastAmongTheWorkers) {
  const CastTargetParameters cast(target_, FLOAT, HALF);
  const auto one = getCast1DSingleWorkerCycleEstimate(cast, FLOAT, HALF, 6000);
  const auto all = getCast1DCycleEstimate(cast, FLOAT, HALF, 6000);
  // A tile gives each of its workers every sixth cycle, so that the whole costs
  // the same and each vertex starts six times.
  EXPECT_GT(all, one);
  EXPECT_LT(all, one + one / 2);
}

TEST_F(PerformanceEstimation, ScalingBothOperandsAndUpdatesCostMore) {
  const ScaledArithmeticTargetParameters params(target_, HALF);
  const auto cost = [&](ScaledArithmeticOp op, const Type &b,
                        bool constrained) {
    return getScaledArithmeticSupervisorCycleEstimate(
        params, HALF, b, constrained, op, layout::Vector::Span,
        layout::Vector::Span, 1200);
  };
  EXPECT_LT(cost(ScaledArithmeticOp::ADD, HALF, true),
            cost(ScaledArithmeticOp::ADD, HALF, false));
  EXPECT_LT(cost(ScaledArithmeticOp::ADD, HALF, true),
            cost(ScaledArithmeticOp::AXPLUSBY, HALF, true));
  EXPECT_LT(cost(ScaledArithmeticOp::ADD, HALF, true),
            cost(ScaledArithmeticOp::ADD, FLOAT, true));
  const MultiSliceTargetParameters slice(target_, HALF);
  EXPECT_LT(getMultiSliceCycleEstimate(slice, 64, 60, 10, 1),
            getMultiSliceCycleEstimate(slice, 64, 60, 10, 1, true));
  EXPECT_LT(getMultiSliceCycleEstimate(slice, 64, 600, 10, 1, false, true),
            getMultiSliceCycleEstimate(slice, 64, 600, 10, 1));
  const MultiUpdateOpTargetParameters update(target_, HALF);
  EXPECT_LT(getMultiUpdateOpCycleEstimate(update, false, 64, 60, 10, 1,
                                          popops::Operation::ADD, false),
            getMultiUpdateOpCycleEstimate(update, true, 64, 60, 10, 1,
                                          popops::Operation::ADD, true));
}

TEST_F(PerformanceEstimation, CountsOneFlopPerElement) {
  EXPECT_EQ(broadcastArithmetic1DCycleEstimate(target_, BinaryOpType::ADD,
                                               FLOAT, FLOAT, true, 77)
                .flops,
            77u);
  EXPECT_EQ(broadcastArithmeticCycleEstimate(target_, BinaryOpType::ADD, FLOAT,
                                             FLOAT, true, true, {3, 4})
                .flops,
            7u);
}

TEST(ExprOpUtils, PrintsTheEnumerator) {
  using namespace popops::expr::ostream_ext;
  std::ostringstream text;
  text << popops::expr::UnaryOpType::EXPONENT << ' ' << BinaryOpType::ADD << ' '
       << popops::expr::TernaryOpType::SELECT;
  EXPECT_EQ(text.str(), "EXPONENT ADD SELECT");
}

VertexPerfEstimate getPerfEstimateForScale(const VertexIntrospector &,
                                           const Target &, const Type &type,
                                           unsigned factor) {
  return {type == HALF ? factor : 2 * factor, 0};
}

TEST(CyclesTables, EntryHasTheNameAndTheTemplateArguments) {
  const auto entry = CYCLE_ESTIMATOR_ENTRY(ours, Scale, FLOAT, 3u);
  EXPECT_EQ(entry.first, "ours::Scale<float,3>");
  EXPECT_EQ(poputil::internal::getUnpackCost(layout::Vector::ScaledPtr64), 1u);
  EXPECT_THROW(poputil::internal::getUnpackCost(layout::VectorList::OnePtr),
               poputil::poplibs_error);
}

} // namespace
