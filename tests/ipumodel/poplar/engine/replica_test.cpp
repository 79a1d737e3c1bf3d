#include "model.hpp"

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using enginetest::Model;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Replica, TheGraphSeesTheTargetOfOne) {
  Model m(4, 6, 3);
  EXPECT_EQ(m.graph.getReplicationFactor(), 3u);
  EXPECT_EQ(m.graph.getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(m.graph.getTarget().getNumTiles(), 8u);
}

TEST(Replica, TheHostSeesALeadingReplicaAxis) {
  Model m(4, 2, 2);
  const Tensor a = m.add(INT, {3}, "a");
  const Tensor b = m.add(INT, {3}, "b");
  m.load(Copy(a.reverse(0), b));
  m.write("a", iota<int>(6));
  m.engine->run();
  EXPECT_THAT(m.read<int>("b", 6), ElementsAre(2, 1, 0, 5, 4, 3));
}

TEST(Replica, EachKnowsItsIndex) {
  Model m(4, 3, 3);
  const Tensor index = m.graph.addReplicationIndexConstant("index");
  m.graph.setTileMapping(index, 0);
  const Tensor out = m.add(UNSIGNED_INT, {}, "out");
  m.load(Copy(index, out));
  m.engine->run();
  EXPECT_THAT(m.read<unsigned>("out", 3), ElementsAre(0, 1, 2));
}

TEST(Replica, AReplicatedStreamGivesEachItsBlock) {
  Model m(4, 2, 2);
  const Tensor t = m.add(INT, {2}, "t");
  const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, 2);
  const DataStream out = m.graph.addDeviceToHostFIFO("out", INT, 2);
  m.load(Sequence({Copy(in, t), Copy(t, out)}));
  std::vector<int> given = iota<int>(8), got(8);
  m.engine->connectStream("in", given.data(), given.data() + 8);
  m.engine->connectStream("out", got.data(), got.data() + 8);
  m.engine->run();
  EXPECT_THAT(m.read<int>("t", 4), ElementsAre(0, 1, 2, 3));
  m.engine->run();
  EXPECT_EQ(got, given);
}

TEST(Replica, ABroadcastStreamGivesAllTheSameBlock) {
  Model m(4, 2, 2);
  const Tensor t = m.add(INT, {2}, "t");
  const DataStream in = m.graph.addHostToDeviceFIFO(
      "in", INT, 2, ReplicatedStreamMode::BROADCAST);
  m.load(Copy(in, t));
  int calls = 0;
  m.engine->connectStreamToCallback("in", [&](void *p) {
    static_cast<int *>(p)[0] = ++calls;
    static_cast<int *>(p)[1] = 7;
  });
  m.engine->run();
  EXPECT_THAT(m.read<int>("t", 4), ElementsAre(1, 7, 1, 7));
  EXPECT_EQ(calls, 1);
}

TEST(Replica, CallbacksAreConnectedOneByOne) {
  Model m(4, 2, 2);
  const Tensor t = m.add(INT, {1}, "t");
  const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, 1);
  m.load(Copy(in, t));
  m.engine->connectStreamToCallback(
      "in", 0, [](void *p) { *static_cast<int *>(p) = 10; });
  try {
    m.engine->run();
    FAIL() << "replica 1 had no data";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("replica 1"));
  }
  m.engine->connectStreamToCallback(
      "in", 1, [](void *p) { *static_cast<int *>(p) = 11; });
  m.engine->run();
  EXPECT_THAT(m.read<int>("t", 2), ElementsAre(10, 11));
}

TEST(Replica, CrossReplicaCopySendsAlongTheMap) {
  Model m(4, 3, 3);
  const Tensor a = m.add(INT, {2}, "a");
  const Tensor b = m.add(INT, {2}, "b");
  m.load(CrossReplicaCopy(a, b, {{0, 1}, {1, 2}, {2, 0}}));
  m.write("a", iota<int>(6));
  m.engine->run();
  EXPECT_THAT(m.read<int>("b", 6), ElementsAre(4, 5, 0, 1, 2, 3));
}

TEST(Replica, ControlFlowThatDiffersIsAnError) {
  Model m(4, 2, 2);
  const Tensor flag = m.add(BOOL, {}, "flag");
  m.load(If(flag, Sequence(), Sequence()));
  m.write("flag", std::vector<char>{1, 1});
  m.engine->run();
  m.write("flag", std::vector<char>{1, 0});
  try {
    m.engine->run();
    FAIL() << "replicas went different ways";
  } catch (const poplar::runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("flag"));
    EXPECT_THAT(e.what(), HasSubstr("replica 1"));
  }
}

TEST(Replica, VirtualGraphsOfAReplicatedGraphWorkOnTheirIpu) {
  Model m(4, 4, 2);
  Graph second = m.graph.createVirtualGraph(4, 8);
  const Tensor a = second.addVariable(INT, {2}, "a");
  second.setTileMapping(a, 3);
  m.graph.createHostRead("a", a);
  m.graph.createHostWrite("a", a);
  EXPECT_EQ(m.graph.getTileMapping(a)[7].size(), 1u);
  m.load(Copy(a.slice(0, 1), a.slice(1, 2)));
  m.write("a", iota<int>(4));
  m.engine->run();
  EXPECT_THAT(m.read<int>("a", 4), ElementsAre(0, 0, 2, 2));
}
