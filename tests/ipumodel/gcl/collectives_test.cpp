#include "tests/ipumodel/poplar/engine/model.hpp"

#include <gcl/Collectives.hpp>
#include <popops/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <cstdlib>
#include <gmock/gmock.h>
#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;
using poputil::poplibs_error;
using testing::ElementsAre;

namespace {

// One IPU per replica, and results that can be read by name.
struct Replicas : enginetest::Model {
  explicit Replicas(unsigned replicas) : Model(4, replicas, replicas) {
    popops::addCodelets(graph);
  }
  void result(const Tensor &t) { graph.createHostRead("result", t); }
  template <class T>
  std::vector<T> run(const std::vector<T> &data, std::size_t resultCount) {
    load(prog);
    write("data", data);
    engine->run();
    return read<T>("result", resultCount);
  }
  Sequence prog;
};

// Two elements on each of four replicas.
template <class T>
std::vector<T> reduceFour(CollectiveOperator op, const Type &type,
                          const std::vector<T> &data,
                          const CommGroup &group = {}) {
  Replicas m(4);
  m.result(gcl::allReduceCrossReplica(m.graph, m.add(type, {2}, "data"), op,
                                      m.prog, group));
  return m.run(data, 8);
}

// The same two elements on all replicas.
template <class T> std::vector<T> onAll(T first, T second) {
  return {first, second, first, second, first, second, first, second};
}

std::vector<float> halvesOf(Replicas &m, const std::vector<float> &data,
                            std::size_t resultCount) {
  std::vector<std::uint16_t> halves(data.size());
  copyFloatToDeviceHalf(m.graph.getTarget(), data.data(), halves.data(),
                        halves.size());
  const auto result = m.run(halves, resultCount);
  std::vector<float> floats(result.size());
  copyDeviceHalfToFloat(m.graph.getTarget(), result.data(), floats.data(),
                        floats.size());
  return floats;
}

} // namespace

TEST(CollectiveOperator, IsReadAsItIsPrinted) {
  for (const CollectiveOperator op :
       {CollectiveOperator::ADD, CollectiveOperator::MEAN,
        CollectiveOperator::MUL, CollectiveOperator::MIN,
        CollectiveOperator::MAX, CollectiveOperator::LOGICAL_AND,
        CollectiveOperator::LOGICAL_OR, CollectiveOperator::SQUARE_ADD,
        CollectiveOperator::LOCAL}) {
    std::stringstream stream;
    stream << op;
    CollectiveOperator read = op == CollectiveOperator::ADD
                                  ? CollectiveOperator::MUL
                                  : CollectiveOperator::ADD;
    stream >> read;
    EXPECT_EQ(read, op);
  }
  std::stringstream name, wrong("SUB");
  name << CollectiveOperator::SQUARE_ADD;
  EXPECT_EQ(name.str(), "SQUARE_ADD");
  CollectiveOperator op;
  EXPECT_THROW(wrong >> op, poplibs_error);
}

TEST(AllReduce, EveryReplicaGetsTheCombination) {
  const std::vector<float> x{1, 2, 3, 4, -5, 6, 7, 8};
  const auto expect = [&](CollectiveOperator op, float first, float second) {
    EXPECT_EQ(reduceFour(op, FLOAT, x), onAll(first, second));
  };
  expect(CollectiveOperator::ADD, 6, 20);
  expect(CollectiveOperator::MEAN, 1.5f, 5);
  expect(CollectiveOperator::MUL, -105, 384);
  expect(CollectiveOperator::MIN, -5, 2);
  expect(CollectiveOperator::MAX, 7, 8);
  expect(CollectiveOperator::SQUARE_ADD, 84, 120);
  EXPECT_EQ(reduceFour(CollectiveOperator::LOCAL, FLOAT, x), x);
}

TEST(AllReduce, IntegersWrapAround) {
  const std::vector<int> x{1, 2147483647, 2, 1, 3, 0, -9, 0};
  EXPECT_EQ(reduceFour(CollectiveOperator::ADD, INT, x),
            onAll(-3, std::numeric_limits<int>::min()));
  const std::vector<unsigned> y{1, 4000000000, 2, 0, 3, 5, 9, 7};
  EXPECT_EQ(reduceFour(CollectiveOperator::MAX, UNSIGNED_INT, y),
            onAll(9u, 4000000000u));
}

TEST(AllReduce, LogicalOperatorsAreForBools) {
  const std::vector<char> x{1, 0, 1, 0, 0, 0, 1, 1};
  EXPECT_THAT(reduceFour(CollectiveOperator::LOGICAL_AND, BOOL, x),
              testing::Each(0));
  EXPECT_THAT(reduceFour(CollectiveOperator::LOGICAL_OR, BOOL, x),
              testing::Each(1));
}

TEST(AllReduce, HalvesAreSummedInFloatAndRoundedOnce) {
  Replicas m(4);
  m.result(gcl::allReduceCrossReplica(m.graph, m.add(HALF, {1}, "data"),
                                      CollectiveOperator::ADD, m.prog));
  // In half, 2048 + 1 is 2048.
  EXPECT_THAT(halvesOf(m, {2048, 1, 1, 2}, 4),
              ElementsAre(2052, 2052, 2052, 2052));
}

TEST(AllReduce, ConsecutiveGroupsAreNeighbours) {
  EXPECT_THAT(reduceFour<int>(CollectiveOperator::ADD, INT, iota<int>(8),
                              {CommGroupType::CONSECUTIVE, 2}),
              ElementsAre(2, 4, 2, 4, 10, 12, 10, 12));
}

TEST(AllReduce, OrthogonalGroupsLieAcross) {
  EXPECT_THAT(reduceFour<int>(CollectiveOperator::ADD, INT, iota<int>(8),
                              {CommGroupType::ORTHOGONAL, 2}),
              ElementsAre(4, 6, 8, 10, 4, 6, 8, 10));
}

TEST(AllReduce, ConsecutiveGroupsMayHaveAStride) {
  EXPECT_THAT(reduceFour<int>(CollectiveOperator::ADD, INT, iota<int>(8),
                              {CommGroupType::CONSECUTIVE, 2, 2}),
              ElementsAre(4, 6, 8, 10, 4, 6, 8, 10));
}

TEST(AllReduce, InPlaceReplacesTheData) {
  Replicas m(2);
  Tensor data = m.add(INT, {3}, "data");
  gcl::allReduceInPlaceCrossReplica(m.graph, data, CollectiveOperator::ADD,
                                    m.prog);
  m.result(data);
  EXPECT_THAT(m.run<int>({1, 2, 3, 10, 20, 30}, 6),
              ElementsAre(11, 22, 33, 11, 22, 33));
}

TEST(AllReduce, ManyTensorsOfSeveralTypesGoTogether) {
  Replicas m(2);
  std::vector<Tensor> datas{m.add(INT, {2}, "data"), m.add(FLOAT, {}, "x")};
  gcl::allReduceInPlaceCrossReplica(m.graph, datas, CollectiveOperator::MUL,
                                    m.prog);
  const auto sums = gcl::allReduceCrossReplica(m.graph, datas,
                                               CollectiveOperator::ADD, m.prog);
  ASSERT_EQ(sums.size(), 2u);
  m.graph.createHostRead("sum", sums[1]);
  m.result(sums[0]);
  m.load(m.prog);
  m.write<int>("data", {2, 3, 5, 7});
  m.write<float>("x", {0.5f, 3});
  m.engine->run();
  EXPECT_THAT(m.read<int>("result", 4), ElementsAre(20, 42, 20, 42));
  EXPECT_THAT(m.read<float>("sum", 2), ElementsAre(3, 3));
}

TEST(AllReduce, DestinationsMayHaveAnotherLayout) {
  Replicas m(2);
  const Tensor data = m.add(INT, {2, 3}, "data");
  Tensor destination = m.add(INT, {3, 2}, "result").transpose();
  gcl::allReduceToDestinationCrossReplica(m.graph, data, destination,
                                          CollectiveOperator::ADD, m.prog);
  EXPECT_THAT(
      m.run<int>({0, 1, 2, 3, 4, 5, 100, 100, 100, 200, 200, 200}, 12),
      ElementsAre(100, 203, 101, 204, 102, 205, 100, 203, 101, 204, 102, 205));
}

TEST(AllReduce, DestinationsMayOverlapTheData) {
  Replicas m(2);
  const Tensor data = m.add(INT, {4}, "data");
  Tensor destination = data.slice(1, 4);
  gcl::allReduceToDestinationCrossReplica(
      m.graph, data.slice(0, 3), destination, CollectiveOperator::ADD, m.prog);
  m.result(data);
  EXPECT_THAT(m.run<int>({1, 2, 3, 4, 10, 20, 30, 40}, 8),
              ElementsAre(1, 11, 22, 33, 10, 11, 22, 33));
}

TEST(AllReduce, TheSameBitsInEveryRunOnAnyNumberOfThreads) {
  const std::size_t count = 10000;
  std::vector<float> data(4 * count);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = 1 / (1 + static_cast<float>(i * 7919 % 10007));
  std::vector<float> expected;
  for (std::size_t i = 0; i < count; ++i)
    expected.push_back(data[i] + data[count + i] + data[2 * count + i] +
                       data[3 * count + i]);
  for (const char *threads : {"1", "2", "4"}) {
    setenv("IPUMODEL_THREADS", threads, 1);
    Replicas m(4);
    m.result(gcl::allReduceCrossReplica(m.graph, m.add(FLOAT, {count}, "data"),
                                        CollectiveOperator::ADD, m.prog));
    const auto sums = m.run(data, 4 * count);
    unsetenv("IPUMODEL_THREADS");
    for (std::size_t replica = 0; replica < 4; ++replica)
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(),
                             sums.begin() +
                                 static_cast<std::ptrdiff_t>(replica * count)))
          << "replica " << replica << " with " << threads << " threads";
  }
}

TEST(AllReduce, OneReplicaKeepsItsData) {
  Replicas m(1);
  m.result(gcl::allReduceCrossReplica(m.graph, m.add(INT, {3}, "data"),
                                      CollectiveOperator::ADD, m.prog));
  EXPECT_THAT(m.run<int>({1, 2, 3}, 3), ElementsAre(1, 2, 3));
}

TEST(AllReduce, TensorsOfVirtualGraphsAreCombinedToo) {
  enginetest::Model m(4, 4, 2); // two IPUs per replica
  Graph second = m.graph.createVirtualGraph(4, 8);
  Tensor data = second.addVariable(INT, {2}, "data");
  second.setTileMapping(data, 1);
  m.graph.createHostWrite("data", data);
  Sequence prog;
  const Tensor sum = gcl::allReduceCrossReplica(
      m.graph, data, CollectiveOperator::ADD, prog, "sum");
  EXPECT_EQ(m.graph.getTileMapping(sum), m.graph.getTileMapping(data));
  m.graph.createHostRead("sum", sum);
  m.load(prog);
  m.write<int>("data", {1, 2, 3, 4});
  m.engine->run();
  EXPECT_THAT(m.read<int>("sum", 4), ElementsAre(4, 6, 4, 6));
}

TEST(ReduceScatter, EachReplicaGetsItsPartPaddedWithZeros) {
  Replicas m(2);
  m.result(gcl::reduceScatterCrossReplica(m.graph, m.add(INT, {5}, "data"),
                                          CollectiveOperator::ADD, m.prog));
  EXPECT_THAT(m.run<int>({1, 2, 3, 4, 5, 10, 20, 30, 40, 50}, 6),
              ElementsAre(11, 22, 33, 44, 55, 0));
}

TEST(ReduceScatter, SomeReplicasMayGetOnlyZeros) {
  Replicas m(4);
  m.result(gcl::reduceScatterCrossReplica(m.graph, m.add(INT, {2}, "data"),
                                          CollectiveOperator::MAX, m.prog));
  EXPECT_THAT(m.run<int>({1, 8, 2, 7, 3, 6, 4, 5}, 4), ElementsAre(4, 8, 0, 0));
}

TEST(ReduceScatter, LocalScattersEachReplicasOwn) {
  Replicas m(2);
  m.result(gcl::reduceScatterCrossReplica(m.graph, m.add(INT, {4}, "data"),
                                          CollectiveOperator::LOCAL, m.prog));
  EXPECT_THAT(m.run<int>({1, 2, 3, 4, 5, 6, 7, 8}, 4), ElementsAre(1, 2, 7, 8));
}

TEST(AllGather, EveryReplicaGetsAllInOrder) {
  Replicas m(4);
  const Tensor all =
      gcl::allGatherCrossReplica(m.graph, m.add(INT, {2}, "data"), m.prog);
  EXPECT_EQ(all.shape(), (std::vector<std::size_t>{4, 2}));
  m.result(all);
  const auto gathered = m.run<int>(iota<int>(8), 32);
  for (std::size_t i = 0; i < gathered.size(); ++i)
    EXPECT_EQ(gathered[i], static_cast<int>(i % 8));
}

TEST(AllGather, GroupsGatherApart) {
  Replicas m(4);
  m.result(gcl::allGatherCrossReplica(m.graph, m.add(SHORT, {}, "data"), m.prog,
                                      {CommGroupType::ORTHOGONAL, 2}));
  EXPECT_THAT(m.run<short>({1, 2, 3, 4}, 8),
              ElementsAre(1, 3, 2, 4, 1, 3, 2, 4));
}

TEST(AllToAll, RowsGoToTheReplicaOfTheirIndex) {
  Replicas m(2);
  m.result(
      gcl::allToAllCrossReplica(m.graph, m.add(INT, {2, 2}, "data"), m.prog));
  EXPECT_THAT(m.run<int>({1, 2, 3, 4, 5, 6, 7, 8}, 8),
              ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(AllReduceWithinReplica, EveryRowIsTheCombination) {
  enginetest::Model m(4, 2);
  const Tensor data = m.graph.addVariable(FLOAT, {2, 3}, "data");
  m.graph.setTileMapping(data[0], 0);
  m.graph.setTileMapping(data[1], 4);
  m.graph.createHostWrite("data", data);
  Sequence prog;
  const Tensor mean = gcl::allReduceWithinReplica(
      m.graph, data, CollectiveOperator::MEAN, prog);
  EXPECT_EQ(m.graph.getTileMapping(mean), m.graph.getTileMapping(data));
  m.graph.createHostRead("mean", mean);
  m.load(prog);
  m.write<float>("data", {1, 2, 3, 5, 6, 8});
  m.engine->run();
  EXPECT_THAT(m.read<float>("mean", 6), ElementsAre(3, 4, 5.5f, 3, 4, 5.5f));
}

TEST(Collectives, TensorsWithoutElementsStayEmpty) {
  Replicas m(2);
  const Tensor empty = m.add(FLOAT, {0}, "data");
  gcl::allReduceCrossReplica(m.graph, empty, CollectiveOperator::ADD, m.prog);
  gcl::reduceScatterCrossReplica(m.graph, empty, CollectiveOperator::ADD,
                                 m.prog);
  const Tensor all = gcl::allGatherCrossReplica(m.graph, empty, m.prog);
  EXPECT_EQ(all.shape(), (std::vector<std::size_t>{2, 0}));
  m.load(m.prog).run();
}

TEST(Collectives, MisuseIsRefused) {
  Replicas m(4);
  Graph &g = m.graph;
  const Tensor data = m.add(FLOAT, {2}, "data");
  const Tensor matrix = m.add(FLOAT, {2, 2}, "matrix");
  const Tensor ints = m.add(INT, {2}, "ints");
  const auto reduce = [&](const Tensor &t, CollectiveOperator op,
                          const CommGroup &group, const OptionFlags &options) {
    gcl::allReduceCrossReplica(g, t, op, m.prog, group, {}, options);
  };
  const auto add = CollectiveOperator::ADD;
  EXPECT_THROW(reduce(data, add, {CommGroupType::CONSECUTIVE, 3}, {}),
               poplibs_error);
  EXPECT_THROW(reduce(data, add, {CommGroupType::CONSECUTIVE, 0}, {}),
               poplibs_error);
  EXPECT_THROW(reduce(data, add, {CommGroupType::ORTHOGONAL, 2, 2}, {}),
               poplibs_error);
  EXPECT_THROW(reduce(data, CollectiveOperator::LOGICAL_AND, {}, {}),
               poplibs_error);
  EXPECT_THROW(reduce(ints, CollectiveOperator::MEAN, {}, {}), poplibs_error);
  EXPECT_THROW(reduce(data, add, {}, {{"method", "pigeons"}}), invalid_option);
  EXPECT_THROW(reduce(data, add, {}, {{"methods", "auto"}}), invalid_option);
  EXPECT_NO_THROW(reduce(data, add, {}, {{"method", "clockwise_ring"}}));
  Tensor repeated = data.slice(0, 1).broadcast(2, 0), other = ints;
  EXPECT_THROW(gcl::allReduceInPlaceCrossReplica(g, repeated, add, m.prog),
               poplibs_error);
  EXPECT_THROW(
      gcl::allReduceToDestinationCrossReplica(g, data, other, add, m.prog),
      poplibs_error);
  EXPECT_THROW(gcl::reduceScatterCrossReplica(g, matrix, add, m.prog),
               poplibs_error);
  EXPECT_THROW(gcl::allToAllCrossReplica(g, data, m.prog), poplibs_error);
  EXPECT_THROW(gcl::allReduceWithinReplica(g, data, add, m.prog),
               poplibs_error);
}

TEST(TileAllocation, RangesOfTilesAreDisjoint) {
  enginetest::Model m(64);
  const unsigned io = gcl::getMinIoTiles(m.graph);
  std::vector<unsigned> tiles = gcl::perIPUTiles(m.graph, 0, io);
  EXPECT_EQ(tiles.size(), io);
  const auto rest = gcl::perIPUTiles(m.graph, io, 64 - io);
  tiles.insert(tiles.end(), rest.begin(), rest.end());
  std::sort(tiles.begin(), tiles.end());
  EXPECT_EQ(tiles, iota<unsigned>(64));
  EXPECT_THROW(gcl::perIPUTiles(m.graph, 2, 64), poplibs_error);
  EXPECT_THROW(gcl::perIPUTiles(m.graph, 1, 2), poplibs_error);
  EXPECT_THAT(gcl::perIPUTiles(m.graph, 1, 1, true, false), ElementsAre(1));
}
