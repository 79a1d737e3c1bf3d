// Slices, sorting, loops and padding: uses every function with its exact type,
// and default arguments. Building this is the test.
#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Loop.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Sort.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <popops/TopK.hpp>

namespace {

using namespace popops;
using poplar::ArrayRef;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Program;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;
using Amounts = std::vector<std::ptrdiff_t>;
using Pair = std::pair<Tensor, Tensor>;

// Selects the overload with this type, and no other.
template <class F> void is(F *) {}

void slices() {
  is<Tensor(Graph &, const Type &, const Shape &, const Shape &, const Shape &,
            std::size_t, const DebugContext &)>(createSliceableTensor);
  is<Tensor(Graph &, const Type &, const Shape &, const Shape &, const Shape &,
            const SlicePlan &, const OptionFlags &, const DebugContext &)>(
      createSliceableTensor);
  is<Tensor(Graph &, const Tensor &, const Shape &, const Shape &,
            const DebugContext &)>(createSliceableTensorFromSlice);
  is<Tensor(Graph &, const Tensor &, const Shape &, const Shape &, std::size_t,
            const DebugContext &)>(createSliceTensor);
  is<Tensor(Graph &, const Type &, const Shape &, const Shape &, const Shape &,
            std::size_t, const SlicePlan &, const OptionFlags &,
            const DebugContext &)>(createSliceTensor);
  is<Tensor(Graph &, const Shape &, std::size_t, const SlicePlan &,
            const OptionFlags &, const DebugContext &)>(createIndicesTensor);
  is<Tensor(Graph &, const Tensor &, const Tensor &, const Shape &,
            const Shape &, Sequence &, const DebugContext &,
            const OptionFlags &)>(dynamicSlice);
  is<Tensor(Graph &, const Tensor &, const Tensor &, const Shape &,
            const Shape &, const DebugContext &, const OptionFlags &)>(
      createDynamicSliceOutput);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const Shape &, const Shape &, Sequence &, const DebugContext &,
          const OptionFlags &)>(dynamicSliceWithOutput);
  is<Graph::TileToTensorMapping(Graph &, const Tensor &, const Shape &,
                                const Shape &)>(getSliceMapping);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const Shape &, const Shape &, Sequence &, const DebugContext &,
          const OptionFlags &)>(dynamicUpdate);
}

void manySlices() {
  using Update =
      void(Graph &, const Tensor &, const Tensor &, const Tensor &,
           const Shape &, const Shape &, Sequence &, const SlicePlan &,
           const OptionFlags &, const DebugContext &);
  is<Tensor(Graph &, const Tensor &, const Tensor &, const Shape &,
            const Shape &, Sequence &, const SlicePlan &, const OptionFlags &,
            const DebugContext &)>(multiSlice);
  is<Tensor(Graph &, const Tensor &, ArrayRef<unsigned>, std::size_t,
            Sequence &, const DebugContext &, const OptionFlags &)>(multiSlice);
  is<Update>(multiUpdate);
  is<Update>(multiUpdateMax);
  is<Update>(multiUpdateMul);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const Tensor &, const Shape &, const Shape &, Sequence &,
          const SlicePlan &, const OptionFlags &, const DebugContext &)>(
      multiUpdateAdd);
  is<void(Graph &, const Tensor &, const Tensor &, ArrayRef<unsigned>,
          const Tensor &, std::size_t, Sequence &, const DebugContext &,
          const OptionFlags &)>(multiUpdateAdd);
  is<SlicePlan(const Graph &, const Type &, std::size_t, std::size_t,
               const Shape &, const OptionFlags &)>(embedding::plan);
  is<Tensor(Graph &, const Type &, const Shape &, unsigned, GatherParams,
            const DebugContext &)>(createGatherInput);
  is<Tensor(Graph &, const Tensor &, const Tensor &, unsigned, Sequence &,
            GatherParams, const DebugContext &, const OptionFlags &)>(gather);
  is<Tensor(Graph &, const Type &, const Shape &, const Shape &,
            std::vector<unsigned>, const DebugContext &)>(createGatherInput);
  is<Tensor(Graph &, const Tensor &, const Tensor &, std::size_t, const Shape &,
            const Shape &, const Shape &, const std::vector<unsigned> &,
            Sequence &, const DebugContext &, const OptionFlags &)>(gather);
}

void sorting() {
  using Sort = Tensor(Graph &, const Tensor &, unsigned, Sequence &,
                      const DebugContext &);
  is<Tensor(Graph &, const Type &, const Shape &, const TopKParams &,
            const DebugContext &)>(createTopKInput);
  is<Tensor(Graph &, Sequence &, const Tensor &, const TopKParams &,
            const DebugContext &)>(topK);
  is<Pair(Graph &, Sequence &, const Tensor &, const Tensor &,
          const TopKParams &, const DebugContext &)>(topKKeyValue);
  is<Pair(Graph &, Sequence &, const Tensor &, const TopKParams &,
          const DebugContext &)>(topKWithPermutation);
  is<Sort>(sort);
  is<void(Graph &, const Tensor &, unsigned, Sequence &, const DebugContext &)>(
      sortInPlace);
  is<Tensor(Graph &, const Tensor &, const Tensor &, unsigned, Sequence &,
            const DebugContext &)>(sortKeyValue);
  is<void(Graph &, const Tensor &, const Tensor &, unsigned, Sequence &,
          const DebugContext &)>(sortKeyValueInPlace);
}

void loops() {
  is<Sequence(Graph &, std::size_t, std::size_t, std::size_t,
              const CountedLoopBodyType &, const DebugContext &)>(countedLoop);
  is<Sequence(Graph &, std::size_t, const CountedLoopBodyType &,
              const DebugContext &)>(countedLoop);
  is<Sequence(Graph &, const Tensor &, int, const Tensor &, int,
              const Program &, const DebugContext &)>(countedForLoop);
  is<Sequence(Graph &, int, const Tensor &, int, const Program &,
              const DebugContext &)>(countedForLoop);
  is<Tensor(Graph &, const Tensor &, const Tensor &, int, unsigned, Sequence &,
            const DebugContext &)>(addForLoopCounterVertex);
}

void paddings() {
  using padding::MappingMethod;
  is<Tensor(Graph &, const Tensor &, const Amounts &, const Amounts &, float,
            MappingMethod)>(pad);
  is<Tensor(Graph &, const Tensor &, const Amounts &, const Amounts &, int,
            MappingMethod)>(pad);
  is<Tensor(Graph &, const Tensor &, const Amounts &, const Amounts &,
            const Tensor &, MappingMethod)>(pad);
  is<Tensor(Graph &, const Tensor &, std::ptrdiff_t, std::ptrdiff_t, unsigned,
            float, MappingMethod)>(pad);
  is<Tensor(Graph &, const Tensor &, std::ptrdiff_t, std::ptrdiff_t, unsigned,
            int, MappingMethod)>(pad);
  is<Tensor(Graph &, const Tensor &, std::ptrdiff_t, std::ptrdiff_t, unsigned,
            const Tensor &, MappingMethod)>(pad);
  is<Tensor(const Tensor &, const Amounts &, const Amounts &, padding::Type)>(
      pad);
  is<Tensor(const Tensor &, std::ptrdiff_t, std::ptrdiff_t, unsigned,
            padding::Type)>(pad);
}

void groupedSlices() {
  using Update =
      void(Graph &, const Tensor &, const Tensor &, const Tensor &,
           const Shape &, const Shape &, Sequence &, const SlicePlan &,
           const OptionFlags &, const DebugContext &);
  is<Tensor(Graph &, const Type &, std::size_t, const Shape &, const Shape &,
            const Shape &, const SlicePlan &, const OptionFlags &,
            const DebugContext &)>(createGroupedSliceableTensor);
  is<Tensor(Graph &, const Type &, std::size_t, const Shape &, const Shape &,
            const Shape &, std::size_t, const SlicePlan &, const OptionFlags &,
            const DebugContext &)>(createGroupedSliceTensor);
  is<Tensor(Graph &, std::size_t, const Shape &, std::size_t, const SlicePlan &,
            const OptionFlags &, const DebugContext &)>(
      createGroupedIndicesTensor);
  is<Tensor(Graph &, const Tensor &, const Tensor &, const Shape &,
            const Shape &, Sequence &, const SlicePlan &, const OptionFlags &,
            const DebugContext &)>(groupedMultiSlice);
  is<Update>(groupedMultiUpdate);
  is<Update>(groupedMultiUpdateMax);
  is<Update>(groupedMultiUpdateMul);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const Tensor &, const Shape &, const Shape &, Sequence &,
          const SlicePlan &, const OptionFlags &, const DebugContext &)>(
      groupedMultiUpdateAdd);
  is<SlicePlan(const Graph &, const Type &, std::size_t, std::size_t,
               const Shape &, const OptionFlags &)>(embedding::plan);
  is<SlicePlan(const Graph &, const Type &, std::size_t, std::size_t,
               std::size_t, const Shape &, const OptionFlags &)>(
      embedding::plan);
  is<std::vector<SlicePlan>(
      const std::vector<embedding::SlicePlanningParameters> &)>(
      embedding::planMultiple);
}

void scattering() {
  using Dims = std::vector<unsigned>;
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &, std::size_t,
          Dims, Shape, Dims, Sequence &, const DebugContext &,
          const OptionFlags &)>(scatter);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &, std::size_t,
          Dims, Shape, Dims, UpdateComputationFunc &, Sequence &,
          const DebugContext &, const OptionFlags &)>(scatter);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const Tensor &, const Tensor &, bool, Sequence &,
          const DebugContext &)>(sequenceSlice);
}

void rearranging() {
  using namespace popops::rearrange;
  using poplar::ComputeSet;
  using poplar::program::Copy;
  using poputil::GroupingInfo;
  is<bool(const poplar::Target &, const Type &, unsigned, unsigned, unsigned)>(
      canUseFastTranspose);
  is<void(Graph &, const ComputeSet &, const Type &, unsigned, unsigned,
          const Graph::TileToTensorMapping &,
          std::function<std::pair<const Tensor, const Tensor>(std::size_t)>,
          const DebugContext &)>(addTransposeVertices);
  is<Tensor(Graph &, const Tensor &, const ComputeSet &, const DebugContext &)>(
      partialTranspose);
  is<unsigned(const Type &)>(getMinimumRegroupGrainSize);
  is<Tensor(Graph &, const Tensor &, Sequence &, const ComputeSet &,
            const GroupingInfo &, const GroupingInfo &, const DebugContext &)>(
      regroupTensor);
  is<Tensor(Graph &, const Tensor &, std::vector<Copy> &, const ComputeSet &,
            const GroupingInfo &, const GroupingInfo &, const DebugContext &)>(
      regroupTensor);
  is<Tensor(Graph &, const Tensor &, Sequence &, const GroupingInfo &,
            const DebugContext &)>(regroupIfPossible);
  is<Tensor(Graph &, const Tensor &, const Tensor &, Sequence &,
            const DebugContext &)>(regroupIfBeneficial);
  is<Tensor(Graph &, const Tensor &, const Tensor &, std::vector<Copy> &,
            ComputeSet, const DebugContext &)>(regroupIfBeneficial);
  is<Tensor(Graph &, const Tensor &, std::size_t, Sequence &,
            const DebugContext &)>(regroupIfBeneficial);
}

void others() {
  is<Tensor(Graph &, const Tensor &, const Tensor &, bool, Sequence &,
            const DebugContext &, const OptionFlags &)>(histogram);
  is<void(Graph &, const Tensor &, Tensor &, bool, const Tensor &, bool,
          Sequence &, const DebugContext &, const OptionFlags &)>(histogram);
  is<Tensor(Graph &, const Type &, ArrayRef<std::size_t>,
            const DebugContext &)>(createNormaliseImageInput);
  is<Tensor(Graph &, Sequence &, Tensor, float, Tensor, Tensor,
            const DebugContext &)>(normaliseImage);
  is<void(Graph &, const Tensor &, const Tensor &, const Tensor &,
          const Tensor &, const Tensor &, unsigned, Sequence &,
          const DebugContext &)>(splineBasis);
  is<Tensor(Graph &, const Tensor &, const Tensor &, const Tensor &,
            const Tensor &, Sequence &, const DebugContext &)>(splineWeighting);
  is<IndicesAndTensor(Graph &, const Type &, const Shape &, bool,
                      const DebugContext &)>(createHostSliceableTensor);
  is<IndicesAndTensor(Graph &, const Type &, const Shape &, bool, std::size_t,
                      const DebugContext &)>(createHostSliceableTensor);
  is<Tensor(Graph &, const Type &, const Shape &, bool, const DebugContext &)>(
      createHostTransferableTensor);
  is<Tensor(Graph &, const Type &, const Shape &, bool, std::size_t,
            const DebugContext &)>(createHostTransferableTensor);
}

void defaults(Graph &graph, Tensor t, Sequence &prog, const SlicePlan &plan,
              const Program &body) {
  createSliceableTensor(graph, poplar::FLOAT, {2}, {0}, {1});
  createSliceTensor(graph, t, {0}, {1}, 3);
  createIndicesTensor(graph, {0}, 3, plan, {});
  dynamicSlice(graph, t, t, {0}, {1}, prog);
  dynamicUpdate(graph, t, t, t, {0}, {1}, prog);
  multiSlice(graph, t, t, {0}, {1}, prog, plan, {});
  gather(graph, t, t, 0, prog, {});
  createGatherInput(graph, poplar::FLOAT, {2}, 0);
  topK(graph, prog, t, {1, true, SortOrder::NONE});
  sort(graph, t, 0, prog);
  countedLoop(graph, 3, [&](const Tensor &) { return body; });
  countedForLoop(graph, 0, t, 1, body);
  pad(graph, t, {0}, {1});
  pad(graph, t, 0, 1, 0);
  histogram(graph, t, t, false, prog);
  CircBuf buffer(graph, poplar::FLOAT, 2, {3});
  buffer.add(t, prog);
  buffer.prev(0, prog);
  splineBasis(graph, t, t, t, t, t, 1, prog);
  splineWeighting(graph, t, t, t, t, prog);
}

} // namespace

void signaturesOfSlices() {
  slices();
  manySlices();
  sorting();
  loops();
  paddings();
  groupedSlices();
  scattering();
  rearranging();
  others();
  (void)defaults;
}
