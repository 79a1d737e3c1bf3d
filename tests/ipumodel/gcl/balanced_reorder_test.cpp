// Tensors divided between replicas, and put together again.
#include "tests/ipumodel/poplar/engine/model.hpp"

#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>
#include <numeric>

using namespace poplar;
using namespace poplar::program;
using gcl::CollectiveBalancedReorder;
using gcl::CollectiveOperator;
using gcl::CommGroupType;
using poputil::poplibs_error;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

struct Replicas : enginetest::Model {
  explicit Replicas(unsigned replicas) : Model(4, replicas, replicas) {
    popops::addCodelets(graph);
  }
  Sequence prog;
};

// A tensor whose order in memory and on tiles is not that of its elements.
Tensor scrambled(Graph &graph) {
  const Tensor t = graph.addVariable(INT, {3, 2, 5}).dimShuffle({2, 1, 0});
  const Tensor flat = t.flatten();
  for (unsigned i = 0; i < 30; ++i)
    graph.setTileMapping(flat[i], i * 7 % 4 == 2 ? 3 : i * 7 % 4);
  return t;
}

} // namespace

TEST(CollectiveBalancedReorder, DividesWhatIsOnATileEqually) {
  Replicas m(4);
  const Tensor t = m.graph.addVariable(FLOAT, {5, 2, 3});
  m.graph.setTileMapping(t, 1);
  CollectiveBalancedReorder reorder(m.graph, t, 4, "weights");
  EXPECT_EQ(reorder.getHostRearrangement().getTotalElementsPerReplica(), 8u);
  EXPECT_EQ(reorder.getHostRearrangement().getNumRearrangedTensorElems(), 32u);
  EXPECT_EQ(reorder.getReferenceShape(), t.shape());
  EXPECT_THAT(reorder.getHostRearrangement().getGatheredToRefSlices(),
              ElementsAre(Interval(0, 30)));
  const Tensor slice = reorder.createReplicaSlice(HALF);
  EXPECT_EQ(slice.shape(), (std::vector<std::size_t>{8}));
  EXPECT_EQ(m.graph.getTileMapping(slice)[1].size(), 1u);
  const CollectiveBalancedReorder inGrains(m.graph, t, 4, "weights", false, 6);
  EXPECT_EQ(inGrains.getHostRearrangement().totalElementsPerReplica, 12u);
}

TEST(CollectiveBalancedReorder, KeepsElementsOnTheirTiles) {
  Replicas m(4);
  const Tensor t = scrambled(m.graph);
  CollectiveBalancedReorder reorder(m.graph, t, 4, "weights");
  const Tensor all = reorder.createCollectivesTensor(INT, "all");
  EXPECT_EQ(m.graph.getTileMapping(reorder.undoRearrangeForCollective(all)),
            m.graph.getTileMapping(t));
  EXPECT_EQ(m.graph.getTileMapping(all[3]),
            m.graph.getTileMapping(reorder.createReplicaSlice(INT)));
}

TEST(CollectiveBalancedReorder, HostOrderIsUndone) {
  Replicas m(4);
  const CollectiveBalancedReorder reorder(m.graph, scrambled(m.graph), 4, "w");
  const gcl::CollectiveBalancedHostRearrangement &host =
      reorder.getHostRearrangement();
  std::vector<int> values(30), back(30);
  std::iota(values.begin(), values.end(), 1);
  std::vector<int> gathered(host.getNumRearrangedTensorElems());
  host.rearrangeForCollective(reinterpret_cast<const char *>(values.data()),
                              reinterpret_cast<char *>(gathered.data()),
                              sizeof(int));
  host.undoRearrangeForCollective(
      reinterpret_cast<const char *>(gathered.data()),
      reinterpret_cast<char *>(back.data()), sizeof(int));
  EXPECT_EQ(back, values);
  // Nothing else is in the gathered tensor.
  EXPECT_EQ(std::accumulate(gathered.begin(), gathered.end(), 0), 465);
}

TEST(CollectiveBalancedReorder, ScatteredAndGatheredIsTheSum) {
  Replicas m(4);
  const Tensor t = scrambled(m.graph);
  m.graph.createHostWrite("data", t);
  CollectiveBalancedReorder reorder(m.graph, t, 4, "weights");
  const Tensor all = reorder.createCollectivesTensor(INT, "all");
  popops::zero(m.graph, all, m.prog);
  m.prog.add(Copy(t, reorder.undoRearrangeForCollective(all)));
  const Tensor part = reorder.createReplicaSlice(INT);
  gcl::reduceScatterToDestinationCrossReplica(m.graph, all.flatten(), part,
                                              CollectiveOperator::ADD, m.prog);
  const Tensor gathered = gcl::allGatherCrossReplica(m.graph, part, m.prog);
  m.graph.createHostRead("result",
                         reorder.undoRearrangeForCollective(gathered));
  m.load(m.prog);
  std::vector<int> data(120), sum(120);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<int>(i * i % 97);
    for (std::size_t replica = 0; replica < 4; ++replica)
      sum[replica * 30 + i % 30] += data[i];
  }
  m.write("data", data);
  m.engine->run();
  EXPECT_EQ(m.read<int>("result", 120), sum);
}

TEST(CollectiveBalancedReorder, MisuseIsRefused) {
  Replicas m(2);
  const Tensor t = m.add(FLOAT, {4}, "data");
  EXPECT_THROW(CollectiveBalancedReorder(m.graph, t, 0, "w"), poplibs_error);
  EXPECT_THROW(CollectiveBalancedReorder(m.graph, t, 2, "w", false, 0),
               poplibs_error);
  const CollectiveBalancedReorder reorder(m.graph, t, 2, "w");
  EXPECT_THROW(reorder.undoRearrangeForCollective(t.slice(0, 3)),
               poplibs_error);
}

TEST(ReduceScatterToDestination, WritesGroupsOfSeveralTensors) {
  Replicas m(4);
  const Tensor data = m.add(INT, {3}, "data");
  const std::vector<Tensor> parts = {m.graph.addVariable(INT, {2}),
                                     m.graph.addVariable(INT, {2})};
  for (const Tensor &part : parts)
    m.graph.setTileMapping(part, 2);
  gcl::reduceScatterToDestinationCrossReplica(m.graph, {data, data}, parts,
                                              CollectiveOperator::MAX, m.prog,
                                              {CommGroupType::CONSECUTIVE, 2});
  m.graph.createHostRead("result", concat(parts));
  m.load(m.prog);
  m.write<int>("data", {1, 5, 3, 4, 2, 6, 7, 0, 9, 8, 1, 2});
  m.engine->run();
  EXPECT_THAT(m.read<int>("result", 16),
              ElementsAre(4, 5, 4, 5, 6, 0, 6, 0, 8, 1, 8, 1, 9, 0, 9, 0));
}

TEST(ReduceScatterToDestination, MayOverlapItsData) {
  Replicas m(2);
  const Tensor data = m.add(INT, {4}, "data");
  gcl::reduceScatterToDestinationCrossReplica(m.graph, data, data.slice(1, 3),
                                              CollectiveOperator::ADD, m.prog);
  m.graph.createHostRead("result", data);
  m.load(m.prog);
  m.write<int>("data", {1, 2, 3, 4, 10, 20, 30, 40});
  m.engine->run();
  EXPECT_THAT(m.read<int>("result", 8),
              ElementsAre(1, 11, 22, 4, 10, 33, 44, 40));
}

TEST(ReduceScatterToDestination, MisuseIsRefused) {
  Replicas m(2);
  const Tensor data = m.add(INT, {4}, "data");
  const auto scatter = [&](const Tensor &to) {
    gcl::reduceScatterToDestinationCrossReplica(
        m.graph, data, to, CollectiveOperator::ADD, m.prog);
  };
  EXPECT_THROW(scatter(m.graph.addVariable(INT, {3})), poplibs_error);
  EXPECT_THROW(scatter(m.graph.addVariable(FLOAT, {2})), poplibs_error);
  EXPECT_THROW(scatter(data[0].expand({0}).broadcast(2, 0)), poplibs_error);
  EXPECT_THROW(gcl::reduceScatterToDestinationCrossReplica(
                   m.graph, std::vector<Tensor>{data}, std::vector<Tensor>{},
                   CollectiveOperator::ADD, m.prog),
               poplibs_error);
}
