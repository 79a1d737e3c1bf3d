#include "profiled_graph.hpp"

#include <pva/pva.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace profiletest;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;

namespace {

std::vector<std::string> namesOf(const std::vector<pva::Variable> &variables) {
  std::vector<std::string> names;
  for (const pva::Variable &variable : variables)
    names.push_back(variable.name());
  return names;
}

std::shared_ptr<pva::Program> find(const pva::Report &report,
                                   pva::Program::Type type) {
  for (const auto &program : report.compilation().programs())
    if (program->type() == type)
      return program;
  return nullptr;
}

} // namespace

TEST(Compilation, DescribesTheTarget) {
  ProfiledGraph g;
  Engine engine(g.graph, Sequence());
  const pva::Target target = engine.getReport().compilation().target();
  EXPECT_EQ(target.type(), pva::Target::Type::IpuModel);
  EXPECT_EQ(target.architecture(), pva::IPU::Architecture::Ipu2);
  EXPECT_EQ(target.numIPUs(), 2u);
  EXPECT_EQ(target.tilesPerIpu(), 4u);
  EXPECT_EQ(target.numTiles(), 8u);
  EXPECT_EQ(target.bytesPerTile(), g.graph.getTarget().getBytesPerTile());
  EXPECT_EQ(target.totalMemory(), g.graph.getTarget().getMemoryBytes());
  EXPECT_EQ(target.clockFrequency(),
            g.graph.getTarget().getTileClockFrequency());
}

TEST(Compilation, CountsTheObjectsOfTheGraph) {
  ProfiledGraph g;
  const ComputeSet one = g.add("one", 0, 0, 10);
  const ComputeSet two = g.add("two", 1, 1, 10);
  Engine engine(g.graph, Sequence{Execute(one), Execute(two)});
  const pva::Graph graph = engine.getReport().compilation().graph();
  EXPECT_EQ(graph.numComputeSets(), 2u);
  EXPECT_EQ(graph.numVertices(), 2u);
  EXPECT_EQ(graph.numEdges(), 4u);
  EXPECT_EQ(graph.numVars(), 2u);
}

TEST(Compilation, GivesTheMemoryOfEveryTileByCategory) {
  ProfiledGraph g;
  const Tensor ones = g.graph.addConstant<float>(FLOAT, {5}, 1.0f, "ones");
  g.graph.setTileMapping(ones, 3);
  Engine engine(g.graph, Execute(g.add("cs", 2, 2, 10)));
  const auto tiles = engine.getReport().compilation().tiles();
  ASSERT_EQ(tiles.size(), 8u);
  const std::uint64_t rows = 2 * ProfiledGraph::kRow * sizeof(float);
  for (const pva::Tile &tile : tiles) {
    const pva::TileMemory memory = tile.memory();
    EXPECT_EQ(memory.category().variable().total(), rows) << tile.id();
    EXPECT_EQ(memory.category().constant().total(),
              tile.id() == 3 ? 5 * sizeof(float) : 0)
        << tile.id();
    EXPECT_EQ(memory.category().vertexInstanceState().total() > 0,
              tile.id() == 2)
        << tile.id();
    EXPECT_EQ(memory.total().excludingGaps(),
              memory.category().variable().total() +
                  memory.category().constant().total() +
                  memory.category().vertexInstanceState().total())
        << tile.id();
  }
}

TEST(Compilation, RefusesCategoriesThatTheModelDoesNotHave) {
  ProfiledGraph g;
  Engine engine(g.graph, Execute(g.add("cs", 2, 2, 10)));
  const pva::MemoryCategories categories =
      engine.getReport().compilation().tiles()[2].memory().category();
  EXPECT_EQ(categories.variable().nonInterleaved().nonOverlapped(),
            categories.variable().total());
  EXPECT_EQ(categories.variable().interleaved().nonOverlapped(), 0u);
  EXPECT_THROW(categories.vertexCode(), std::runtime_error);
  EXPECT_THROW(categories.internalExchangeCode(), std::runtime_error);
}

TEST(Compilation, KeepsEveryVariableAliveInEveryStep) {
  ProfiledGraph g;
  Engine engine(g.graph, Sequence{Execute(g.add("one", 0, 0, 10)),
                                  Execute(g.add("two", 1, 1, 10))});
  std::vector<std::string> names;
  for (const auto &step :
       engine.getReport().compilation().livenessProgramSteps()) {
    names.push_back(step.program()->name());
    EXPECT_EQ(step.notAlwaysLiveMemory().bytes(), 0u);
    EXPECT_TRUE(step.notAlwaysLiveMemoryForTile(0).variables().empty());
  }
  EXPECT_THAT(names, ElementsAre("one", "two"));
}

TEST(Compilation, FindsVerticesByComputeSetAndByTile) {
  ProfiledGraph g;
  Engine engine(g.graph, Execute(g.add("cs", 5, 5, 123)));
  const pva::Compilation compilation = engine.getReport().compilation();
  const auto sets = compilation.computeSets();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].name(), "cs");
  ASSERT_EQ(sets[0].vertices().size(), 1u);
  EXPECT_EQ(sets[0].vertices()[0].type().name(), "Double");
  EXPECT_EQ(sets[0].vertices()[0].tile(), 5u);
  EXPECT_EQ(sets[0].vertices()[0].estimatedCycles(), 123u);
  EXPECT_EQ(compilation.tiles()[5].memory().vertices().size(), 1u);
  EXPECT_TRUE(compilation.tiles()[4].memory().vertices().empty());
  EXPECT_EQ(compilation.ipus()[1].tiles()[1].id(), 5u);
}

TEST(Compilation, SharesTheWorkersOfATileAmongItsVertices) {
  ProfiledGraph g;
  const ComputeSet cs = g.graph.addComputeSet("cs");
  for (unsigned i = 0; i < 12; ++i) {
    const VertexRef v = g.graph.addVertex(
        cs, "Double",
        {{"in", g.a[1][i].flatten()}, {"out", g.b[1][i].flatten()}});
    g.graph.setTileMapping(v, 1);
    g.graph.setPerfEstimate(v, 100);
  }
  Engine engine(g.graph, Execute(cs));
  const auto cycles =
      engine.getReport().compilation().computeSets()[0].estimatedCyclesByTile();
  EXPECT_THAT(cycles, ElementsAre(0, 200, 0, 0, 0, 0, 0, 0));
}

TEST(Compilation, OperationHasTheEstimatesOfTheVerticesItRepresents) {
  struct Visitor : pva::ProgramVisitor {
    std::vector<std::uint64_t> cycles;
    void visitOnTileExecute(const pva::OnTileExecuteProgram &p) override {
      cycles = p.computeset().estimatedCyclesByTile();
    }
  };
  ProfiledGraph g;
  Engine engine(g.graph, Copy(g.a[1], g.b[1])); // on one tile
  Visitor visitor;
  for (const auto &program : engine.getReport().compilation().programs())
    program->accept(visitor);
  EXPECT_THAT(visitor.cycles, ElementsAre(0, Gt(0u), 0, 0, 0, 0, 0, 0));
}

TEST(Compilation, KeepsTheShapeOfControlFlow) {
  ProfiledGraph g;
  const Program body = Sequence{Execute(g.add("cs", 0, 0, 10))};
  Engine engine(g.graph, Repeat(3, body, {"loop"}));
  const pva::Report report = engine.getReport();
  const auto repeat = find(report, pva::Program::Type::Repeat);
  ASSERT_TRUE(repeat);
  EXPECT_EQ(repeat->name(), "loop");
  ASSERT_EQ(repeat->children().size(), 1u);
  const auto sequence = repeat->children()[0];
  EXPECT_EQ(sequence->type(), pva::Program::Type::Sequence);
  ASSERT_EQ(sequence->children().size(), 1u);
  EXPECT_EQ(sequence->children()[0]->type(), pva::Program::Type::OnTileExecute);
}

TEST(Compilation, CallsReachTheirFunction) {
  ProfiledGraph g;
  const Function inner = g.graph.addFunction(Execute(g.add("cs", 0, 0, 10)));
  const Function outer = g.graph.addFunction(Call(inner));
  Engine engine(g.graph, Call(outer));
  const pva::Report report = engine.getReport();
  const auto execution = find(report, pva::Program::Type::OnTileExecute);
  ASSERT_TRUE(execution);
  std::vector<std::size_t> called; // the inner call first
  for (const auto &program : report.compilation().programs())
    if (program->type() == pva::Program::Type::Call) {
      ASSERT_EQ(program->children().size(), 1u);
      called.push_back(program->children()[0]->_id());
    }
  ASSERT_EQ(called.size(), 2u);
  EXPECT_EQ(called[0], execution->_id());
  EXPECT_NE(called[1], execution->_id());
}

TEST(Compilation, VisitorsSeeStepsAsWhatTheyAre) {
  struct Visitor : pva::ProgramVisitor {
    std::vector<std::string> seen;
    void visitControlFlow(const pva::Program &) override {
      seen.push_back("control");
    }
    void visitOnTileExecute(const pva::OnTileExecuteProgram &p) override {
      seen.push_back("execute " + p.computeset().name());
      EXPECT_THAT(namesOf(p.vars()), ElementsAre("layer/a", "layer/b"));
    }
    void visitDoExchange(const pva::DoExchangeProgram &p) override {
      seen.push_back("exchange " + p.name());
    }
    void visitGlobalExchange(const pva::GlobalExchangeProgram &p) override {
      seen.push_back("global " + p.name());
    }
    void visitStreamCopyMid(const pva::StreamCopyMidProgram &p) override {
      seen.push_back("stream " + p.name());
      EXPECT_THAT(namesOf(p.vars()), ElementsAre("layer/b"));
    }
  };
  ProfiledGraph g;
  const DataStream out =
      g.graph.addDeviceToHostFIFO("out", FLOAT, ProfiledGraph::kRow);
  Engine engine(g.graph,
                Sequence{Execute(g.add("near", 0, 1, 10)),
                         Execute(g.add("far", 1, 6, 10)), Copy(g.b[0], out)});
  Visitor visitor;
  for (const auto &program : engine.getReport().compilation().programs())
    program->accept(visitor);
  EXPECT_THAT(visitor.seen,
              ElementsAre("exchange near", "execute near", "global far",
                          "execute far", "stream out", "control"));
}

TEST(Report, OfADeserializedExecutableIsRefused) {
  ProfiledGraph g;
  std::stringstream file;
  compileGraph(g.graph, {Sequence()}).serialize(file);
  Engine engine(Executable::deserialize(file));
  EXPECT_THROW(engine.getReport(), missing_graph_profile);
  std::ostringstream os;
  EXPECT_THROW(engine.printProfileSummary(os), missing_graph_profile);
}

TEST(Report, OfACpuDeviceIsRefused) {
  const Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  Engine engine(graph, Sequence());
  try {
    engine.getReport();
    FAIL() << "a CPU device gave a report";
  } catch (const profiling_disabled &error) {
    EXPECT_THAT(error.what(),
                HasSubstr("Profiling is disabled for current device type."));
  }
}

TEST(Report, OutlivesItsEngine) {
  ProfiledGraph g;
  const pva::Report report = [&] {
    Engine engine(g.graph, Execute(g.add("cs", 0, 0, 10)));
    return engine.getReport();
  }();
  EXPECT_EQ(report.compilation().computeSets()[0].name(), "cs");
  EXPECT_EQ(report.poplarVersion().string(), versionString().cloneAsString());
}
