// Grouped slices against the same slices group by group in plain loops.
#include "tests/ipumodel/popops/operators.hpp"
#include "tests/support/scoped_env.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <random>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using popops::SlicePlan;
using poputil::poplibs_error;
using testing::ElementsAreArray;
using testing::HasSubstr;

namespace {

constexpr std::size_t kGroups = 3, kRows = 7, kColumns = 5, kLookups = 4;

// A problem with offsets out of range, and its tensors.
struct Problem {
  explicit Problem(Bench &b, const Type &type = FLOAT)
      : plan(popops::embedding::plan(b.graph, type, kGroups, kRows, kColumns,
                                     {kLookups}, {})),
        base(popops::createGroupedSliceableTensor(
            b.graph, type, kGroups, {kRows, kColumns}, {0}, {1}, plan, {})),
        slices(popops::createGroupedSliceTensor(b.graph, type, kGroups,
                                                {kRows, kColumns}, {0}, {1},
                                                kLookups, plan, {})),
        indices(popops::createGroupedIndicesTensor(b.graph, kGroups, {0},
                                                   kLookups, plan, {})) {
    std::mt19937 random(1);
    const auto fill = [&](const Tensor &t, std::vector<float> &values) {
      for (std::size_t i = 0; i < t.numElements(); ++i)
        values.push_back(float(int(random() % 65) - 32) / 16);
      b.graph.setInitialValue(t.flatten(), ArrayRef<float>(values));
    };
    fill(base, baseValues);
    fill(slices, sliceValues);
    for (std::size_t i = 0; i < kGroups * kLookups; ++i)
      offsets.push_back(static_cast<unsigned>(random() % kRows));
    offsets[1] = kRows; // not in the table, though in that of the next group
    offsets[6] = 1000;
    b.graph.setInitialValue(indices.flatten(), ArrayRef<unsigned>(offsets));
  }

  // The base after combine(element, update) for every lookup in range.
  template <class Combine> std::vector<float> updated(Combine combine) const {
    std::vector<float> result = baseValues;
    for (std::size_t i = 0; i < offsets.size(); ++i)
      for (std::size_t c = 0; c < kColumns && offsets[i] < kRows; ++c) {
        const std::size_t row = i / kLookups * kRows + offsets[i];
        float &element = result[row * kColumns + c];
        element = combine(element, sliceValues[i * kColumns + c]);
      }
    return result;
  }

  SlicePlan plan;
  Tensor base, slices, indices;
  std::vector<float> baseValues, sliceValues;
  std::vector<unsigned> offsets;
};

template <class F> std::string errorOf(F &&f) {
  try {
    f();
  } catch (const poplibs_error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(GroupedSlices, HaveTheirShapes) {
  Bench b;
  const Problem p(b);
  EXPECT_EQ(p.base.shape(), Shape({kGroups, kRows, kColumns}));
  EXPECT_EQ(p.slices.shape(), Shape({kGroups, kLookups, 1, kColumns}));
  EXPECT_EQ(p.indices.shape(), Shape({kGroups, kLookups, 1}));
}

TEST(GroupedSlices, AreTakenFromTheirOwnGroup) {
  for (const char *threads : {"1", "3"}) {
    const ScopedEnv environment("IPUMODEL_THREADS", threads);
    for (const Type &type : {FLOAT, HALF}) {
      Bench b;
      const Problem p(b, type);
      const Tensor out = popops::groupedMultiSlice(
          b.graph, p.base, p.indices, {0}, {1}, b.prog, p.plan,
          {{"paddingIndexUsed", "true"}});
      ASSERT_EQ(out.shape(), p.slices.shape());
      std::vector<float> expected;
      for (std::size_t i = 0; i < p.offsets.size(); ++i)
        for (std::size_t c = 0; c < kColumns; ++c)
          expected.push_back(
              p.offsets[i] < kRows
                  ? p.baseValues[(i / kLookups * kRows + p.offsets[i]) *
                                     kColumns +
                                 c]
                  : 0);
      EXPECT_THAT(b.floatsOf(out), ElementsAreArray(expected));
    }
  }
}

TEST(GroupedSlices, UpdateTheirOwnGroup) {
  Bench b;
  const Problem p(b);
  popops::groupedMultiUpdate(b.graph, p.base, p.slices, p.indices, {0}, {1},
                             b.prog, p.plan, {});
  EXPECT_THAT(b.floatsOf(p.base),
              ElementsAreArray(p.updated([](float, float s) { return s; })));
}

TEST(GroupedSlices, AreAddedMultipliedAndCompared) {
  for (const char *fusion : {"0", "1"}) {
    const ScopedEnv environment("IPUMODEL_FUSION", fusion);
    {
      Bench b;
      const Problem p(b);
      popops::groupedMultiUpdateAdd(b.graph, p.base, p.slices, p.indices,
                                    b.floats({}, {0.5f}), {0}, {1}, b.prog,
                                    p.plan, {});
      EXPECT_THAT(b.floatsOf(p.base),
                  ElementsAreArray(p.updated(
                      [](float t, float s) { return t + 0.5f * s; })));
    }
    {
      Bench b;
      const Problem p(b);
      popops::groupedMultiUpdateMul(b.graph, p.base, p.slices, p.indices, {0},
                                    {1}, b.prog, p.plan, {});
      EXPECT_THAT(
          b.floatsOf(p.base),
          ElementsAreArray(p.updated([](float t, float s) { return t * s; })));
    }
    {
      Bench b;
      const Problem p(b);
      popops::groupedMultiUpdateMax(b.graph, p.base, p.slices, p.indices, {0},
                                    {1}, b.prog, p.plan, {});
      EXPECT_THAT(b.floatsOf(p.base),
                  ElementsAreArray(p.updated(
                      [](float t, float s) { return std::max(t, s); })));
    }
  }
}

TEST(GroupedSlices, WithoutAFittingPlanAreErrors) {
  Bench b;
  const Problem p(b);
  EXPECT_THAT(errorOf([&] {
                popops::groupedMultiSlice(b.graph, p.base, p.indices, {0}, {1},
                                          b.prog, SlicePlan(), {});
              }),
              HasSubstr("groupedMultiSlice: a plan is needed"));
  EXPECT_THAT(errorOf([&] {
                popops::createGroupedSliceableTensor(
                    b.graph, FLOAT, 2, {kRows, kColumns}, {0}, {1}, p.plan, {});
              }),
              HasSubstr("createGroupedSliceableTensor: the plan is for 3 "
                        "groups, not 2"));
  EXPECT_THAT(errorOf([&] {
                popops::groupedMultiUpdate(b.graph, p.base, p.slices,
                                           p.indices.slice(0, 2), {0}, {1},
                                           b.prog, p.plan, {});
              }),
              HasSubstr("groupedMultiUpdate: the tensors have different"));
  EXPECT_THAT(errorOf([&] {
                popops::groupedMultiUpdateAdd(
                    b.graph, p.base, p.slices.slice(0, 1, 3), p.indices,
                    b.floats({}, {1}), {0}, {1}, b.prog, p.plan, {});
              }),
              HasSubstr("groupedMultiUpdateAdd: "));
}

TEST(SlicePlan, OfSeveralProblemsAreThoseOfEach) {
  Bench b;
  using popops::embedding::SlicePlanningParameters;
  const std::vector<SlicePlan> plans = popops::embedding::planMultiple(
      {SlicePlanningParameters(b.graph, HALF, 9, 8, {4}, {}),
       SlicePlanningParameters(b.graph, HALF, 2, 9, 8, {4}, {})});
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0], popops::embedding::plan(b.graph, HALF, 9, 8, {4}, {}));
  EXPECT_EQ(plans[1], popops::embedding::plan(b.graph, HALF, 2, 9, 8, {4}, {}));
  EXPECT_NE(plans[0], plans[1]);
}
