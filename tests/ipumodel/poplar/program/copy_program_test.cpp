#include "test_graph.hpp"
#include "thrown.hpp"

#include <poplar/Program.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

struct CopyProgram : testing::Test {
  TestGraph graph;
  Tensor a = graph.variable(FLOAT, {2, 3}, "a");
  Tensor b = graph.variable(FLOAT, {6}, "b");
  Tensor small = graph.variable(FLOAT, {4}, "small");
  Tensor ints = graph.variable(INT, {6}, "ints");
};

TEST_F(CopyProgram, ShapesMayDiffer) { EXPECT_NO_THROW(Copy(a, b)); }

TEST_F(CopyProgram, AMessageBeginsWithThePlaceOfTheCopy) {
  const std::string place =
      std::string(__FILE__) + ":" + std::to_string(__LINE__ + 2) + " ";
  const std::string message =
      messageOf<graph_connection_error>([&] { Copy(a, small); });
  EXPECT_THAT(message, StartsWith(place));
}

TEST_F(CopyProgram, DifferentCountsNameBothTensors) {
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(a, small); }),
              AllOf(HasSubstr("'a' of type float and shape {2,3}"),
                    HasSubstr("'small' of type float and shape {4}")));
}

TEST_F(CopyProgram, DifferentTypesNameBothTensors) {
  EXPECT_THAT(messageOf<type_error>([&] { Copy(a, ints); }),
              AllOf(HasSubstr("'a' of type float and shape {2,3}"),
                    HasSubstr("'ints' of type int and shape {6}")));
}

TEST_F(CopyProgram, ADestinationWithAliasesIsRefused) {
  const Tensor twice = small.slice(0, 3).broadcast(2, 0);
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(a, twice); }),
              HasSubstr("'small' of type float and shape {6} is not parallel "
                        "writeable"));
  EXPECT_NO_THROW(Copy(twice, b));
}

TEST_F(CopyProgram, AConstantIsNoDestination) {
  const Tensor constant = graph.addConstant(FLOAT, {6}, 1.0f, "constant");
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(b, constant); }),
              HasSubstr("'constant'"));
  EXPECT_NO_THROW(Copy(constant, b));
}

TEST_F(CopyProgram, AnInvalidTensorIsRefused) {
  EXPECT_THAT(messageOf<control_program_error>([&] { Copy(Tensor(), b); }),
              HasSubstr("source"));
  EXPECT_THAT(messageOf<control_program_error>([&] { Copy(b, Tensor()); }),
              HasSubstr("destination"));
}

TEST_F(CopyProgram, TensorsOfTwoGraphsAreRefused) {
  TestGraph other;
  const Tensor foreign = other.variable(FLOAT, {6}, "foreign");
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(b, foreign); }),
              AllOf(HasSubstr("different graphs"), HasSubstr("'foreign'")));
}

TEST_F(CopyProgram, AStreamAndItsTensorMustMatch) {
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 6);
  const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 6);
  EXPECT_NO_THROW(Copy(in, a));
  EXPECT_NO_THROW(Copy(a, out));
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(in, small); }),
              AllOf(HasSubstr("'in' of 6 elements of type float"),
                    HasSubstr("'small' of type float and shape {4}")));
  EXPECT_THAT(messageOf<type_error>([&] { Copy(ints, out); }),
              AllOf(HasSubstr("'out' of 6 elements of type float"),
                    HasSubstr("'ints' of type int and shape {6}")));
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(out, a); }),
              HasSubstr("goes the other way"));
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(a, in); }),
              HasSubstr("goes the other way"));
  EXPECT_THROW(Copy(DataStream(), a), stream_connection_error);
}

TEST_F(CopyProgram, AStreamOfAnotherGraphIsRefused) {
  TestGraph other;
  const DataStream foreign = other.addHostToDeviceFIFO("foreign", FLOAT, 6);
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(foreign, a); }),
              AllOf(HasSubstr("different graphs"), HasSubstr("'foreign'")));
}

TEST_F(CopyProgram, ARemoteBufferMovesAsManyRowsAsThereAreOffsets) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("rows", FLOAT, 3, 8);
  const Tensor row = graph.variable(FLOAT, {3}, "row");
  const Tensor offsets = graph.variable(UNSIGNED_INT, {2}, "offsets");
  EXPECT_NO_THROW(Copy(buffer, row));
  EXPECT_NO_THROW(Copy(buffer, a, offsets));
  EXPECT_NO_THROW(Copy(a, buffer, offsets));
  EXPECT_THAT(messageOf<graph_connection_error>([&] { Copy(buffer, a); }),
              AllOf(HasSubstr("1 rows"), HasSubstr("'rows'")));
  EXPECT_THAT(
      messageOf<graph_connection_error>([&] { Copy(row, buffer, offsets); }),
      HasSubstr("2 rows"));
  EXPECT_THAT(messageOf<type_error>([&] { Copy(buffer, ints.slice(0, 3)); }),
              HasSubstr("element types differ"));
  EXPECT_NO_THROW(Copy(buffer, a, ints.slice(0, 2)));
  EXPECT_THAT(messageOf<type_error>([&] { Copy(buffer, a, row.slice(0, 2)); }),
              HasSubstr("offset"));
}

TEST(CrossReplicaCopyProgram, EveryReplicaSendsOnceAndReceivesOnce) {
  TestGraph graph(4);
  const Tensor src = graph.variable(FLOAT, {2}, "src");
  const Tensor dst = graph.variable(FLOAT, {2}, "dst");
  const auto copy = [&](std::map<unsigned, unsigned> map) {
    return [src, dst, map] { CrossReplicaCopy(src, dst, map); };
  };
  EXPECT_NO_THROW(copy({{0, 1}, {1, 2}, {2, 3}, {3, 0}})());
  EXPECT_THAT(messageOf<graph_replication_error>(copy({{0, 1}, {1, 0}})),
              HasSubstr("2 sources for 4 replicas"));
  EXPECT_THAT(messageOf<graph_replication_error>(
                  copy({{0, 0}, {1, 2}, {2, 3}, {3, 1}})),
              HasSubstr("0 -> 0"));
  EXPECT_THAT(messageOf<graph_replication_error>(
                  copy({{0, 1}, {1, 2}, {2, 1}, {3, 0}})),
              HasSubstr("2 -> 1"));
  EXPECT_THAT(messageOf<graph_replication_error>(
                  copy({{0, 1}, {1, 2}, {2, 3}, {3, 4}})),
              HasSubstr("3 -> 4"));
}

TEST(CrossReplicaCopyProgram, TensorsMustMatch) {
  TestGraph graph(2);
  const Tensor src = graph.variable(FLOAT, {2}, "src");
  const Tensor dst = graph.variable(FLOAT, {3}, "dst");
  EXPECT_THAT(messageOf<graph_connection_error>([&] {
                CrossReplicaCopy(src, dst, {{0, 1}, {1, 0}});
              }),
              AllOf(HasSubstr("'src'"), HasSubstr("'dst'")));
}

} // namespace
