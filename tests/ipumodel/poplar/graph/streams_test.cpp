#include "expect_error.hpp"

#include <poplar/Graph.hpp>

#include <gmock/gmock.h>

namespace {

using namespace poplar;

class StreamsTest : public testing::Test {
protected:
  Graph graph{Target::createIPUTarget(2, 4, "ipu2"), replication_factor(2)};
};

TEST_F(StreamsTest, DescribeThemselves) {
  const DataStream in = graph.addHostToDeviceFIFO(
      "in", FLOAT, 10, ReplicatedStreamMode::BROADCAST,
      {{"bufferingDepth", "2"}});
  EXPECT_EQ(in.handle(), "in");
  EXPECT_EQ(in.numElements(), 10u);
  EXPECT_EQ(in.elementType(), FLOAT);
  EXPECT_EQ(in.replicationFactor(), 2u);
  EXPECT_EQ(in.replicatedMode(), ReplicatedStreamMode::BROADCAST);
  EXPECT_EQ(in.type(), DataStreamType::HostToDeviceFIFO);
  const DataStream out = graph.addDeviceToHostFIFO("out", INT, 1);
  EXPECT_EQ(out.type(), DataStreamType::DeviceToHostFIFO);
  EXPECT_THROW(DataStream().handle(), poplar_error);
}

TEST_F(StreamsTest, RemoteBuffersDescribeThemselves) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("b", HALF, 8, 3, true);
  EXPECT_EQ(buffer.handle(), "b");
  EXPECT_EQ(buffer.numElements(), 8u);
  EXPECT_EQ(buffer.getRepeats(), 3u);
  EXPECT_EQ(buffer.elementType(), HALF);
  EXPECT_TRUE(buffer.isRearrangeOnHost());
  EXPECT_FALSE(buffer.isOptimisedForMemory());
  EXPECT_EQ(buffer.getIpuToHostStream().type(),
            DataStreamType::DeviceToHostBuffer);
  EXPECT_EQ(buffer.getHostToIpuStream().type(),
            DataStreamType::HostToDeviceBuffer);
  EXPECT_EQ(buffer, RemoteBuffer(buffer));
  EXPECT_NE(buffer, graph.addRemoteBuffer("c", HALF, 8));
}

TEST_F(StreamsTest, HandlesAreUniqueAmongStreamsAndBuffers) {
  graph.addHostToDeviceFIFO("x", FLOAT, 1);
  expectError<poplar_error>([&] { graph.addDeviceToHostFIFO("x", FLOAT, 1); },
                            {"addDeviceToHostFIFO", "'x'"});
  expectError<poplar_error>([&] { graph.addRemoteBuffer("x", FLOAT, 1); },
                            {"addRemoteBuffer", "'x'"});
  graph.addHostFunction("f", {std::make_tuple(INT, std::size_t(1))}, {});
  expectError<poplar_error>([&] { graph.addHostFunction("f", {}, {}); },
                            {"addHostFunction", "'f'"});
}

TEST_F(StreamsTest, HandlesOfHostReadsAndWritesAreApart) {
  const Tensor t = graph.addVariable(FLOAT, {2}, "t");
  graph.createHostRead("t", t);
  graph.createHostWrite("t", t);
  expectError<poplar_error>([&] { graph.createHostRead("t", t); },
                            {"createHostRead", "'t'"});
  expectError<poplar_error>([&] { graph.createHostWrite("t", t, true); },
                            {"createHostWrite", "'t'"});
}

TEST_F(StreamsTest, TheHostCannotWriteConstantsOrAliases) {
  const Tensor t = graph.addVariable(FLOAT, {2}, "t");
  expectError<tensor_io_state_error>(
      [&] { graph.createHostWrite("w", t.broadcast(2, 0)); },
      {"'w'", "'t'", "{4}"});
  const Tensor c = graph.addConstant(FLOAT, {2}, 1.0f, "c");
  expectError<tensor_io_state_error>([&] { graph.createHostWrite("w", c); },
                                     {"'c'"});
  graph.createHostRead("r", c);
}

TEST_F(StreamsTest, UnknownOptionsAreRefused) {
  expectError<invalid_option>(
      [&] {
        graph.addDeviceToHostFIFO("x", FLOAT, 1, {{"bufferingDeep", "2"}});
      },
      {"bufferingDeep"});
}

} // namespace
