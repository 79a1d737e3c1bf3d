// Scatter, grouped slices and sequences against PyTorch.
#include "tests/ipumodel/operator_model.hpp"
#include "tests/support/scoped_env.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>

using namespace poplar;
using namespace poplibstest;
using popops::SlicePlan;

namespace {

constexpr Tolerance kExact{0, 0};

// Calls f(case) for the cases of one kind, on several threads and one, with and
// without fusion.
template <class F> void forEachCase(const char *kind, F &&f) {
  const std::vector<ReferenceCase> cases = references("slices");
  int found = 0;
  for (const char *threads : {"1", "3"})
    for (const char *fusion : {"0", "1"}) {
      const ScopedEnv ofThreads("IPUMODEL_THREADS", threads);
      const ScopedEnv ofFusion("IPUMODEL_FUSION", fusion);
      for (const ReferenceCase &c : cases)
        if (c.text("kind") == kind) {
          f(c);
          ++found;
        }
    }
  EXPECT_GT(found, 0);
}

popops::UpdateComputationFunc adds() {
  return [](Graph &graph, Tensor &present, Tensor &update,
            program::Sequence &prog) {
    return popops::add(graph, present, update, prog);
  };
}

} // namespace

TEST(Scatter, WritesAndAddsRowsAsPyTorch) {
  forEachCase("rows", [](const ReferenceCase &c) {
    OperatorModel m;
    const ReferenceArray &updates = c.array("updates");
    const std::size_t unique = c.array("unique").shape[0];
    const Tensor u = m.input(FLOAT, updates);
    const Tensor written = m.input(FLOAT, c.array("x"), {1, 0});
    popops::scatter(m.graph, written, m.input(UNSIGNED_INT, c.array("unique")),
                    u.slice(0, unique), 1, {1}, {0}, {0}, m.prog);
    m.expect(written, c.array("written"), kExact, "written");
    const Tensor added = m.input(FLOAT, c.array("x"));
    popops::UpdateComputationFunc add = adds();
    popops::scatter(m.graph, added, m.input(INT, c.array("index")), u, 1, {1},
                    {0}, {0}, add, m.prog);
    m.expect(added, c.array("added"), kExact, "added");
    m.run();
  });
}

TEST(Scatter, AddsPointsAsPyTorch) {
  forEachCase("points", [](const ReferenceCase &c) {
    OperatorModel m;
    const Tensor x = m.input(HALF, c.array("x"));
    popops::UpdateComputationFunc add = adds();
    // The vectors of indices are columns.
    popops::scatter(m.graph, x, m.input(UNSIGNED_INT, c.array("index")),
                    m.input(HALF, c.array("updates")), 0, {}, {0, 1}, {0, 1},
                    add, m.prog);
    m.expect(x, c.array("added"), kExact, "added");
    m.run();
  });
}

TEST(GroupedSlices, AreThoseOfPyTorch) {
  forEachCase("groups", [](const ReferenceCase &c) {
    OperatorModel m;
    const ReferenceArray &x = c.array("x");
    const std::size_t groups = x.shape[0], rows = x.shape[1],
                      columns = x.shape[2], n = c.array("index").shape[1];
    const SlicePlan plan =
        popops::embedding::plan(m.graph, FLOAT, groups, rows, columns, {n}, {});
    const auto table = [&] {
      const Tensor t = popops::createGroupedSliceableTensor(
          m.graph, FLOAT, groups, {rows, columns}, {0}, {1}, plan, {});
      m.feed(t, x);
      return t;
    };
    const Tensor index =
        m.input(UNSIGNED_INT, c.array("index")).reshape({groups, n, 1});
    const Tensor updates =
        m.input(FLOAT, c.array("updates")).reshape({groups, n, 1, columns});
    m.expect(popops::groupedMultiSlice(m.graph, table(), index, {0}, {1},
                                       m.prog, plan, {})
                 .squeeze({2}),
             c.array("gathered"), kExact, "gathered");
    const Tensor scale = m.graph.addConstant(FLOAT, {}, 0.5f);
    m.graph.setTileMapping(scale, 0);
    const Tensor added = table(), largest = table(), multiplied = table();
    popops::groupedMultiUpdateAdd(m.graph, added, updates, index, scale, {0},
                                  {1}, m.prog, plan, {});
    m.expect(added, c.array("added"), kExact, "added");
    popops::groupedMultiUpdateMax(m.graph, largest, updates, index, {0}, {1},
                                  m.prog, plan, {});
    m.expect(largest, c.array("largest"), kExact, "largest");
    popops::groupedMultiUpdateMul(m.graph, multiplied, updates, index, {0}, {1},
                                  m.prog, plan, {});
    m.expect(multiplied, c.array("multiplied"), {0, 1e-5}, "multiplied");
    m.run();
  });
}

TEST(SequenceSlice, CopiesAsPyTorch) {
  forEachCase("sequences", [](const ReferenceCase &c) {
    OperatorModel m;
    const Tensor x = m.input(HALF, c.array("x"));
    const Tensor out = m.input(HALF, c.array("out"));
    popops::sequenceSlice(
        m.graph, x, out, m.input(UNSIGNED_INT, c.array("lengths")),
        m.input(UNSIGNED_INT, c.array("start")),
        m.input(UNSIGNED_INT, c.array("end")), c.number("zero") != 0, m.prog);
    m.expect(out, c.array("y"), kExact, "y");
    m.run();
  });
}
