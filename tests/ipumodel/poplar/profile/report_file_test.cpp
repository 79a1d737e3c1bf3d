#include "profiled_graph.hpp"
#include "tests/support/temp_dir.hpp"

#include <pva/pva.hpp>

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

using namespace profiletest;
using popscope::tests::TempDir;
using testing::HasSubstr;

namespace {

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

OptionFlags reportTo(const std::filesystem::path &directory) {
  return {{"autoReport.all", "true"},
          {"autoReport.directory", directory.string()},
          {"profiler.blocks.filter", "block"}};
}

// Runs an engine that writes reports, and destroys it.
void writeReports(const std::filesystem::path &directory) {
  ProfiledGraph g;
  g.run(Repeat(2, Block(Execute(g.add("cs", 0, 5, 60)), "block")),
        reportTo(directory));
}

std::string openError(const std::string &profile,
                      const std::string &debug = "") {
  try {
    pva::openReport(profile, debug);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "none";
}

// Reads everything in a report, so that damage anywhere is noticed.
std::size_t readAll(const pva::Report &report) {
  std::size_t count = 0;
  for (const auto &program : report.compilation().programs()) {
    count += program->children().size() + program->name().size();
    if (const auto *step =
            dynamic_cast<const pva::StepProgram *>(program.get()))
      count += step->vars().size() + step->estimatedCyclesByTile().size();
  }
  for (const pva::Tile &tile : report.compilation().tiles())
    for (const pva::VertexInstance &v : tile.memory().vertices())
      count += v.type().name().size();
  for (const pva::ComputeSet &set : report.compilation().computeSets())
    count += set.estimatedCyclesByTile().size();
  const pva::Execution execution = report.execution();
  for (const pva::ExecutionStep &step : execution.steps())
    count += step.cyclesByTile().size() + step.ipus().size();
  for (const pva::Block &block : execution.blocks(0))
    count += block.program() ? block.program()->name().size() : 0;
  return count;
}

} // namespace

TEST(ReportFile, ShowsWhatTheEngineSaw) {
  TempDir dir;
  ProfiledGraph g;
  std::size_t fromEngine = 0;
  {
    Engine engine =
        g.run(Repeat(2, Block(Execute(g.add("cs", 0, 5, 60)), "block")),
              reportTo(dir.path()));
    fromEngine = readAll(engine.getReport());
  }
  const pva::Report report =
      pva::openReport(dir.path() / "profile.pop", dir.path() / "debug.cbor");
  EXPECT_EQ(readAll(report), fromEngine);
  EXPECT_EQ(report.compilation().target().numTiles(), 8u);
  EXPECT_EQ(report.compilation().computeSets()[0].name(), "cs");
  EXPECT_EQ(report.execution().runs()[0].name(), "run 0");
  EXPECT_EQ(report.execution().blocks(0).size(), 2u);
  EXPECT_EQ(report.poplarVersion().string(), versionString().cloneAsString());
}

TEST(ReportFile, OfDebugInformationNamesThePlaceInTheSource) {
  TempDir dir;
  writeReports(dir.path());
  const pva::Report report =
      pva::openReport(dir.path() / "profile.pop", dir.path() / "debug.cbor");
  bool found = false;
  for (const pva::DebugContext &context : report.debugContexts())
    if (context.kind() == "variable" && context.name() == "layer/a") {
      found = true;
      EXPECT_THAT(context.fileName(), HasSubstr("profiled_graph.hpp"));
      EXPECT_GT(context.lineNumber(), 0u);
    }
  EXPECT_TRUE(found);
}

TEST(ReportFile, IsThereBeforeTheEngineRuns) {
  TempDir dir;
  ProfiledGraph g;
  Engine engine(g.graph, Execute(g.add("cs", 0, 0, 10)),
                reportTo(dir.path() / "made" / "on demand"));
  const pva::Report report =
      pva::openReport(dir.path() / "made" / "on demand" / "profile.pop");
  EXPECT_EQ(report.compilation().graph().numComputeSets(), 1u);
  EXPECT_THROW(report.execution(), std::runtime_error);
}

TEST(ReportFile, OfANamedEngineHasADirectoryOfThatName) {
  TempDir dir;
  ProfiledGraph g;
  Engine engine(g.graph, Sequence(), reportTo(dir.path()), {}, "training");
  EXPECT_EQ(openError(dir.path() / "training" / "profile.pop"), "none");
}

TEST(ReportFile, OfAGraphThatDoesNotFitIsNamedByTheError) {
  TempDir dir;
  const Device device = makeDevice(1, 2);
  Graph graph(device.getTarget());
  const Tensor t = graph.addVariable(FLOAT, {1000000}, "huge");
  graph.setTileMapping(t, 1);
  OptionFlags options = reportTo(dir.path());
  options.set("debug.allowOutOfMemory", "false");
  try {
    Engine engine(graph, Sequence(), options);
    FAIL() << "the graph did fit";
  } catch (const graph_memory_allocation_error &error) {
    EXPECT_THAT(error.what(), HasSubstr(error.profilePath));
    const pva::Report report = pva::openReport(error.profilePath);
    EXPECT_EQ(report.compilation().tiles()[1].memory().total().excludingGaps(),
              4000000u);
  }
}

TEST(ReportFile, IsOnlyWrittenWhenAsked) {
  TempDir dir;
  ProfiledGraph g;
  g.run(Sequence(), {{"autoReport.directory", dir.path().string()},
                     {"debug.instrument", "true"}});
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  g.run(Sequence(), {{"autoReport.directory", dir.path().string()},
                     {"autoReport.outputGraphProfile", "true"}});
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "profile.pop"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "debug.cbor"));
}

TEST(ReportFile, ThatCannotBeWrittenIsAnErrorAtOnce) {
  TempDir dir;
  const std::string file = dir.file("file", "in the way");
  ProfiledGraph g;
  EXPECT_THROW(Engine(g.graph, Sequence(), reportTo(file)), std::runtime_error);
}

TEST(ReportFile, CutShortIsRefusedByName) {
  TempDir dir;
  writeReports(dir.path());
  const std::string whole = contentOf(dir.path() / "profile.pop");
  ASSERT_GT(whole.size(), 100u);
  // Cuts at every byte near both ends of the file, and at some between.
  for (std::size_t end = 0; end < whole.size();
       end += end < 100 || whole.size() - end <= 100 ? 1 : 13) {
    const std::string error =
        openError(dir.file("cut.pop", whole.substr(0, end)));
    ASSERT_THAT(error, HasSubstr("cut.pop' is not a usable report: ")) << end;
  }
}

TEST(ReportFile, WithABitFlippedIsReadOrRefused) {
  TempDir dir;
  writeReports(dir.path());
  const std::string whole = contentOf(dir.path() / "profile.pop");
  std::size_t refused = 0;
  // A stride that reaches all bits of a byte.
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 19) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    try {
      readAll(pva::openReport(dir.file("damaged.pop", damaged)));
    } catch (const std::runtime_error &) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(ReportFile, SaysWhatElseAFileIs) {
  TempDir dir;
  EXPECT_THAT(openError(dir.path() / "missing.pop"),
              HasSubstr("cannot open the report"));
  EXPECT_THAT(openError(dir.file("sdk.pop", "SQLite format 3\0 and so on")),
              HasSubstr("Poplar SDK"));
  EXPECT_THAT(openError(dir.file("text.pop", "hello")), HasSubstr("CBOR"));
  writeReports(dir.path());
  EXPECT_THAT(openError(dir.path() / "debug.cbor"),
              HasSubstr("expected the format 'ipumodel-profile'"));
  EXPECT_THAT(openError(dir.path() / "profile.pop", dir.path() / "profile.pop"),
              HasSubstr("expected the format 'ipumodel-debug'"));
}

TEST(ReportFile, OfALaterVersionIsRefused) {
  TempDir dir;
  writeReports(dir.path());
  std::string later = contentOf(dir.path() / "profile.pop");
  const std::size_t at = later.find("version") + 7;
  ASSERT_EQ(later[at], 1);
  later[at] = 2;
  EXPECT_THAT(openError(dir.file("later.pop", later)),
              HasSubstr("version 2 of the format"));
}
