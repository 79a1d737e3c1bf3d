// Operations added to a compute set, together with vertices and each other.
#include "operators.hpp"

#include <poplar/exceptions.hpp>
#include <popops/Cast.hpp>
#include <popops/Fill.hpp>

#include <gmock/gmock.h>
#include <sstream>

using namespace poplar;
using operators::Bench;
using poplar::program::Execute;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const char *const kDouble = R"(
#include <poplar/Vertex.hpp>
class Double : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = 2 * in[i];
    return true;
  }
};
)";

struct ComputeSetOperations : testing::Test {
  ComputeSetOperations() {
    std::stringstream source(kDouble);
    b.graph.addCodelets(source);
    cs = b.graph.addComputeSet("both");
  }
  void addDouble(const Tensor &in, const Tensor &out) {
    const VertexRef v =
        b.graph.addVertex(cs, "Double", {{"in", in}, {"out", out}});
    b.graph.setTileMapping(v, 1);
  }
  std::string refusal() {
    try {
      compileGraph(b.graph, {Execute(cs)});
    } catch (const graph_cycle_error &error) {
      return error.what();
    }
    return "nothing thrown";
  }

  Bench b;
  ComputeSet cs;
  Tensor x = b.floats({2}, {1, 2}), y = b.floats({2}, {10, 20}),
         z = b.floats({2}, {100, 200});
};

} // namespace

TEST_F(ComputeSetOperations, ReadWhatVerticesHaveNotYetWritten) {
  const Tensor asInt = popops::cast(b.graph, y, INT, cs);
  addDouble(x, y);
  b.prog.add(Execute(cs));
  const std::string first = b.watch(asInt), second = b.watch(y);
  b.run();
  EXPECT_THAT(b.read<int>(first, 2), ElementsAre(10, 20));
  EXPECT_THAT(b.read<float>(second, 2), ElementsAre(2, 4));
}

TEST_F(ComputeSetOperations, WriteAfterVerticesHaveRead) {
  popops::fill(b.graph, x, 0, cs, 7.0f);
  addDouble(x, y);
  b.prog.add(Execute(cs));
  const std::string first = b.watch(x), second = b.watch(y);
  b.run();
  EXPECT_THAT(b.read<float>(first, 2), ElementsAre(7, 7));
  EXPECT_THAT(b.read<float>(second, 2), ElementsAre(2, 4));
}

TEST_F(ComputeSetOperations, RunEachTimeTheComputeSetDoes) {
  const Tensor asInt = popops::cast(b.graph, x, INT, cs);
  b.prog.add(Execute(cs));
  addDouble(y, x);
  b.prog.add(Execute(cs));
  EXPECT_THAT(b.result<int>(asInt), ElementsAre(20, 40));
}

TEST_F(ComputeSetOperations, MayNotWriteTheSameElements) {
  popops::fill(b.graph, x.slice(1, 2), 0, cs, 7.0f);
  addDouble(y, x);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("[1:2)"),
                               HasSubstr("written to elsewhere in same "
                                         "compute set")));
}

TEST_F(ComputeSetOperations, MayNotReadWhatEachOtherWrites) {
  const Tensor i = b.ints({2}, {1, 2});
  popops::cast(b.graph, x, i, cs);
  popops::cast(b.graph, i, x, cs);
  b.prog.add(Execute(cs));
  EXPECT_THROW(b.run(), graph_cycle_error);
}

TEST_F(ComputeSetOperations, MayNotWriteConstants) {
  const Tensor constant = b.graph.addConstant(FLOAT, {2}, 1.0f);
  b.graph.setTileMapping(constant, 0);
  popops::fill(b.graph, constant, 0, cs, 7.0f);
  EXPECT_THROW(compileGraph(b.graph, {Execute(cs)}), graph_connection_error);
}

TEST_F(ComputeSetOperations, AreKeptInExecutables) {
  popops::fill(b.graph, x, 0, cs, 7.0f);
  addDouble(y, z);
  b.graph.createHostRead("x", x);
  b.graph.createHostRead("z", z);
  std::stringstream file;
  compileGraph(b.graph, {Execute(cs)}).serialize(file);
  b.engine = std::make_unique<Engine>(Executable::deserialize(file));
  b.engine->load(b.device);
  b.engine->run(0);
  EXPECT_THAT(b.read<float>("x", 2), ElementsAre(7, 7));
  EXPECT_THAT(b.read<float>("z", 2), ElementsAre(20, 40));
}
