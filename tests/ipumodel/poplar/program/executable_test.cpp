#include "poplar/base/content_hash.hpp"
#include "poplar/program/executable_format.hpp"
#include "test_graph.hpp"
#include "thrown.hpp"

#include <poplar/Engine.hpp>

#include <gmock/gmock.h>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr const char *kCodelet = R"(
#include <poplar/Vertex.hpp>
class AddTable : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  poplar::Vector<float> table;
  float scale;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = scale * in[i] + table[i];
    return true;
  }
};
)";

Device makeDevice() {
  IPUModel model;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

// A graph with a bit of everything.
struct Everything {
  Everything() {
    std::stringstream codelet(kCodelet);
    graph.addCodelets(codelet);
    const Tensor x = graph.variable(FLOAT, {4}, "x");
    const Tensor y = graph.addVariable(FLOAT, {2, 2}, "y");
    graph.setTileMapping(y.slice(0, 1), 1);
    graph.setTileMapping(y.slice(1, 2), 2);
    graph.setInitialValue(x, ArrayRef<float>({1, 2, 3, 4}));
    const Tensor half = graph.variable(HALF, {2}, "half");
    graph.setInitialValue(half, 0.5f);
    const Tensor one = graph.addConstant(INT, {}, 1, "one");
    const ComputeSet cs = graph.addComputeSet("add");
    const VertexRef v = graph.addVertex(
        cs, "AddTable",
        {{"in", x}, {"out", y.transpose().flatten()}, {"scale", 10.f}});
    graph.setInitialValue(v["table"], std::vector<float>{1, 2, 3, 4});
    graph.setTileMapping(v, 1);
    graph.setPerfEstimate(v, 1234);

    const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 4);
    const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 4);
    const RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, 4, 2);
    const HostFunction host = graph.addHostFunction(
        "host", {std::make_tuple(FLOAT, std::size_t(4))}, {});
    graph.createHostRead("y", y);
    graph.createHostWrite("x", x);
    const Function function = graph.addFunction(Execute(cs, "step"));
    const Copy store(x, rows);
    const Sequence shared({Call(function), store});
    programs = {
        Sequence({shared, Switch(one, {{1, shared}, {2, Abort("two")}})},
                 "main"),
        Sequence({Copy(in, x), Call(host, {x}, {}), Copy(y.flatten(), out),
                  PrintTensor("half", half)})};
  }

  Executable compile() const {
    return compileGraph(graph, programs, {{"debug.instrument", "true"}});
  }

  TestGraph graph;
  std::vector<Program> programs;
};

std::string bytesOf(const Executable &executable) {
  std::ostringstream bytes;
  executable.serialize(bytes);
  return bytes.str();
}

Executable fromBytes(const std::string &bytes) {
  std::istringstream in(bytes);
  return Executable::deserialize(in);
}

TEST(ExecutableFile, EqualGraphsGiveEqualBytes) {
  EXPECT_EQ(bytesOf(Everything().compile()), bytesOf(Everything().compile()));
}

TEST(ExecutableFile, ReadAndWrittenAgainIsTheSame) {
  const std::string bytes = bytesOf(Everything().compile());
  EXPECT_EQ(bytesOf(fromBytes(bytes)), bytes);
}

TEST(ExecutableFile, RunsLikeTheGraphItWasMadeFrom) {
  std::string bytes;
  {
    const Everything everything;
    bytes = bytesOf(everything.compile());
  }
  Engine engine(fromBytes(bytes));
  engine.load(makeDevice());
  engine.run(0);
  std::vector<float> y(4);
  engine.readTensor("y", y.data(), y.data() + y.size());
  EXPECT_THAT(y, ElementsAre(11, 33, 22, 44));

  std::vector<float> in = {5, 6, 7, 8}, out(4), seen(4);
  engine.connectStream("in", in.data());
  engine.connectStream("out", out.data());
  engine.connectHostFunction(
      "host", 0, [&](ArrayRef<const void *> inputs, ArrayRef<void *>) {
        std::memcpy(seen.data(), inputs[0], sizeof(float) * seen.size());
      });
  std::ostringstream printed;
  engine.setPrintTensorStream(printed);
  engine.run(1);
  EXPECT_EQ(seen, in);
  EXPECT_THAT(out, ElementsAre(11, 33, 22, 44));
  EXPECT_EQ(printed.str(), "half: [0.5000000 0.5000000]\n");
}

TEST(ExecutableFile, LeavesTheStreamAfterItsLastByte) {
  std::stringstream stream;
  const Everything everything;
  everything.compile().serialize(stream);
  stream << "more";
  Executable::deserialize(stream);
  std::string rest;
  stream >> rest;
  EXPECT_EQ(rest, "more");
}

TEST(ExecutableFile, CanBeReadFromAStreamItOwns) {
  Engine engine(Executable::deserialize(
      std::make_unique<std::istringstream>(bytesOf(Everything().compile()))));
  EXPECT_NO_THROW(engine.load(makeDevice()));
  EXPECT_THROW(Executable::deserialize(nullptr), poplar_error);
}

TEST(ExecutableFile, IsASnapshotOfTheGraph) {
  Everything everything;
  const Executable executable = everything.compile();
  const std::string before = bytesOf(executable);
  everything.graph.variable(FLOAT, {100}, "later");
  everything.graph.addComputeSet("later");
  EXPECT_EQ(bytesOf(executable), before);
}

// Small, so that every byte of it can be tested.
std::string smallFile() {
  TestGraph graph;
  const Tensor a = graph.variable(FLOAT, {2}, "a");
  const Tensor b = graph.variable(FLOAT, {2}, "b");
  graph.createHostRead("b", b);
  return bytesOf(compileGraph(graph, {Repeat(2, Copy(a, b))}));
}

TEST(ExecutableFile, CutAnywhereIsRefused) {
  const std::string bytes = smallFile();
  ASSERT_NO_THROW(fromBytes(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(
        messageOf<poplar_error>([&] { fromBytes(bytes.substr(0, size)); }),
        StartsWith("bad executable file: "))
        << "cut to " << size << " bytes";
}

TEST(ExecutableFile, AnyFlippedByteIsRefused) {
  const std::string bytes = smallFile();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      EXPECT_THAT(messageOf<poplar_error>([&] { fromBytes(damaged); }),
                  StartsWith("bad executable file: "))
          << "byte " << i << " xor " << flip;
    }
}

// The reader must survive damage that the checksum does not detect.
TEST(ExecutableFile, DamageUnderARightChecksumIsReadOrRefused) {
  constexpr std::size_t kHeader = 24, kChecksum = 8;
  const std::string bytes = smallFile();
  const std::size_t end = bytes.size() - kChecksum;
  unsigned refused = 0;
  for (std::size_t i = kHeader; i < end; ++i)
    for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const std::uint64_t checksum =
          ipumodel::contentHash(std::string_view(damaged).substr(0, end));
      std::memcpy(&damaged[end], &checksum, sizeof checksum);
      try {
        fromBytes(damaged);
      } catch (const poplar_error &) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 0u);
}

TEST(ExecutableFile, AWrongLengthDoesNotAskForMemory) {
  std::string bytes = smallFile();
  // The length follows the magic and two versions.
  for (std::size_t i = 16; i < 24; ++i)
    bytes[i] = static_cast<char>(0xff);
  EXPECT_THAT(messageOf<poplar_error>([&] { fromBytes(bytes); }),
              StartsWith("bad executable file: "));
}

// Programs within each other are read by recursion.
TEST(ExecutableFile, NestingThatWouldExhaustTheStackIsRefused) {
  constexpr std::uint64_t kDepth = 100'000;
  constexpr std::size_t kHeader = 24, kChecksum = 8;
  // At its end an executable has no programs, no cycles and no options: the
  // length of each list.
  constexpr std::size_t kLists = 3 * sizeof(std::uint64_t);
  const TestGraph graph;
  std::ostringstream out;
  graph.serialize(out, SerializationFormat::Binary);
  std::string bytes = out.str();
  bytes.resize(bytes.size() - kChecksum - kLists);

  const ipumodel::ProgramNode node(ipumodel::ProgramNode::Kind::sequence);
  ipumodel::ExecutableWriter writer;
  writer(std::uint64_t(1)); // program
  for (std::uint64_t number = 1; number <= kDepth; ++number) {
    writer(number);
    writer.choice(node.kind, node.kind);
    writer.choice(node.noCase, node.noCase);
    writer(node.id, node.count, std::uint64_t(number < kDepth)); // children
  }
  for (std::uint64_t number = 0; number < kDepth; ++number)
    writer(node.tensors, node.cases, node.replicaMap, node.text, node.name,
           node.op);
  writer(std::uint64_t(0), std::uint64_t(0));
  bytes += writer.bytes();
  const std::uint64_t length = bytes.size() - kHeader;
  std::memcpy(&bytes[kHeader - sizeof length], &length, sizeof length);
  const std::uint64_t checksum = ipumodel::contentHash(bytes);
  bytes.append(reinterpret_cast<const char *>(&checksum), sizeof checksum);
  EXPECT_THAT(messageOf<poplar_error>([&] { fromBytes(bytes); }),
              HasSubstr("too many objects within each other"));
}

TEST(ExecutableFile, AStreamThatCannotBeWrittenIsAnError) {
  std::ostringstream closed;
  closed.setstate(std::ios::badbit);
  const Everything everything;
  EXPECT_THROW(everything.compile().serialize(closed), poplar_error);
}

} // namespace
