#include "model.hpp"

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using enginetest::Model;
using testing::ElementsAre;

namespace {

const char *const kDouble = R"(
#include <poplar/Vertex.hpp>
class Double : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<int>> in;
  poplar::Output<poplar::Vector<int>> out;
  int times;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = in[i] * 2;
    return ++times < 100;
  }
};
)";

// A program with a vertex, streams, a loop, a function and a constant.
struct Doubler : Model {
  Doubler() {
    addCodelets(kDouble);
    const Tensor a = add(INT, {3}, "a");
    const Tensor b = add(INT, {3}, "b");
    const Tensor one = graph.addConstant<int>(INT, {3}, {1, 1, 1});
    graph.setTileMapping(one, 1);
    const DataStream in = graph.addHostToDeviceFIFO("in", INT, 3);
    const DataStream out = graph.addDeviceToHostFIFO("out", INT, 3);
    const ComputeSet cs = graph.addComputeSet("double");
    const VertexRef v = graph.addVertex(cs, "Double", {{"in", a}, {"out", b}});
    graph.setTileMapping(v, 1);
    const Function f = graph.addFunction(Sequence({Execute(cs), Copy(b, a)}));
    programs = {Sequence({Copy(in, a), Repeat(3, Call(f)), Copy(b, out)}),
                Copy(one, b)};
  }
  std::vector<Program> programs;
};

std::vector<int> runOn(Engine &engine, const Device &device) {
  engine.load(device);
  std::vector<int> in = {1, 2, 3}, out(3);
  engine.connectStream("in", in.data());
  engine.connectStream("out", out.data());
  engine.run(0);
  return out;
}

} // namespace

TEST(Executable, RunsAfterItsGraphIsGone) {
  auto model = std::make_unique<Doubler>();
  const Device device = std::move(model->device);
  Executable executable = compileGraph(model->graph, model->programs);
  model.reset();
  Engine engine(std::move(executable));
  EXPECT_THAT(runOn(engine, device), ElementsAre(8, 16, 24));
}

TEST(Executable, RunsAfterBeingWrittenAndReadBack) {
  Doubler model;
  std::stringstream file;
  compileGraph(model.graph, model.programs).serialize(file);
  file << "more data follows";
  Engine engine(Executable::deserialize(file));
  std::string rest;
  std::getline(file, rest);
  EXPECT_EQ(rest, "more data follows");
  EXPECT_THAT(runOn(engine, model.device), ElementsAre(8, 16, 24));
  engine.run(1);
  std::vector<int> b(3);
  engine.readTensor("b", b.data(), b.data() + 3);
  EXPECT_THAT(b, ElementsAre(1, 1, 1));
}

TEST(Executable, OfTheSameGraphHasTheSameBytes) {
  std::ostringstream first, second;
  {
    Doubler model;
    compileGraph(model.graph, model.programs).serialize(first);
  }
  Doubler model;
  compileGraph(model.graph, model.programs).serialize(second);
  EXPECT_EQ(first.str(), second.str());
}

TEST(Executable, ADamagedFileIsRefused) {
  Doubler model;
  std::ostringstream file;
  compileGraph(model.graph, model.programs).serialize(file);
  const std::string bytes = file.str();
  for (const std::size_t cut :
       {std::size_t(0), std::size_t(3), bytes.size() / 2, bytes.size() - 1}) {
    std::istringstream damaged(bytes.substr(0, cut));
    EXPECT_THROW(Executable::deserialize(damaged), poplar_error) << cut;
  }
}

TEST(Executable, MayBeEmptyUntilOneIsAssigned) {
  Executable executable;
  std::stringstream out;
  EXPECT_THROW(executable.serialize(out), poplar_error);
  EXPECT_THROW(Engine engine(executable), poplar_error);
  Model m;
  const Tensor t = m.add(INT, {1}, "t");
  executable = compileGraph(m.graph, {Copy(t, t)});
  EXPECT_NO_THROW(Engine engine(std::move(executable)));
}

TEST(Executable, AnEngineTakesASnapshotOfTheGraph) {
  Doubler model;
  Engine engine(model.graph, model.programs);
  for (int i = 0; i < 100; ++i)
    model.graph.addVariable(FLOAT, {1000}, "later");
  EXPECT_THAT(runOn(engine, model.device), ElementsAre(8, 16, 24));
}

TEST(Executable, CompilingReportsItsProgress) {
  Doubler model;
  std::vector<std::pair<int, int>> steps;
  compileGraph(model.graph, model.programs, {},
               [&](int done, int total) { steps.emplace_back(done, total); });
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back().first, steps.back().second);
  for (std::size_t i = 1; i < steps.size(); ++i)
    EXPECT_GE(steps[i].first, steps[i - 1].first);
}
