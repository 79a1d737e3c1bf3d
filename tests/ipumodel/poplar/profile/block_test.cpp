#include "profiled_graph.hpp"

#include <pva/pva.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace profiletest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::vector<std::string> namesOf(const std::vector<pva::Block> &blocks) {
  std::vector<std::string> names;
  for (const pva::Block &block : blocks)
    names.push_back(block.program()->name());
  return names;
}

// Two stages of two operations each, one stage per IPU.
Program makePipeline(ProfiledGraph &g) {
  const auto operation = [&](const std::string &name, unsigned tile) {
    return Block(Execute(g.add(name, tile, tile, 60)), name);
  };
  const Block first(Sequence{operation("op1", 1), operation("op2", 1)},
                    "stage1");
  const Block second(Sequence{operation("op1", 5), operation("op2", 5)},
                     "stage2");
  return Repeat(2, Sequence{first, second});
}

} // namespace

TEST(Blocks, AreSeenByTheProfiledTileOfTheIpuTheyRanOn) {
  ProfiledGraph g;
  Engine engine =
      g.run(makePipeline(g), {{"profiler.blocks.filter", "stage.|op2"}});
  const pva::Execution execution = engine.getReport().execution();
  EXPECT_THAT(namesOf(execution.blocks(0)),
              ElementsAre("stage1", "op2", "stage1", "op2"));
  EXPECT_THAT(namesOf(execution.blocks(4)),
              ElementsAre("stage2", "op2", "stage2", "op2"));
  EXPECT_THAT(execution.blocks(1), IsEmpty());
}

TEST(Blocks, CanBeSeenByAnotherTile) {
  ProfiledGraph g;
  Engine engine = g.run(makePipeline(g), {{"profiler.blocks.filter", "stage."},
                                          {"profiler.blocks.tile", "2"}});
  const pva::Execution execution = engine.getReport().execution();
  EXPECT_THAT(execution.blocks(0), IsEmpty());
  EXPECT_THAT(namesOf(execution.blocks(6)), ElementsAre("stage2", "stage2"));
  EXPECT_EQ(execution.blocks(6)[0].tile(), 6u);
}

TEST(Blocks, ContainTheBlocksWithinThem) {
  ProfiledGraph g;
  Engine engine =
      g.run(makePipeline(g), {{"profiler.blocks.filter", "stage1|op."}});
  const auto blocks = engine.getReport().execution().blocks(0);
  ASSERT_THAT(namesOf(blocks),
              ElementsAre("stage1", "op1", "op2", "stage1", "op1", "op2"));
  EXPECT_EQ(blocks[0].cyclesFrom(), blocks[1].cyclesFrom());
  EXPECT_EQ(blocks[1].cyclesTo(), blocks[2].cyclesFrom());
  EXPECT_EQ(blocks[2].cyclesTo(), blocks[0].cyclesTo());
  EXPECT_LE(blocks[0].cyclesTo(), blocks[3].cyclesFrom());
  for (const pva::Block &block : blocks) {
    EXPECT_LT(block.cyclesFrom(), block.cyclesTo());
    EXPECT_TRUE(block.isCommon());
    EXPECT_FALSE(block.isOverflow());
  }
}

TEST(Blocks, AreMadeAroundProgramsThatAreAskedFor) {
  ProfiledGraph g;
  const Program program = Repeat(3, Execute(g.add("operation", 0, 0, 10)));
  Engine engine = g.run(program, {{"profiler.programs.filter", "operation"}});
  const auto blocks = engine.getReport().execution().blocks(0);
  ASSERT_THAT(namesOf(blocks),
              ElementsAre("operation", "operation", "operation"));
  EXPECT_EQ(blocks[0].program()->type(), pva::Program::Type::OnTileExecute);
}

TEST(Blocks, OfStreamCopiesAreSeenByTheTilesWithTheData) {
  ProfiledGraph g;
  const DataStream in =
      g.graph.addHostToDeviceFIFO("in", FLOAT, ProfiledGraph::kRow);
  Engine engine(g.graph, Copy(in, g.a[3]),
                {{"profiler.programs.filter", "nothing"},
                 {"debug.instrumentExternalExchange", "true"}});
  std::vector<float> host(ProfiledGraph::kRow);
  engine.connectStream("in", host.data());
  engine.load(g.device);
  engine.run();
  const pva::Execution execution = engine.getReport().execution();
  EXPECT_THAT(execution.blocks(0), IsEmpty());
  const auto blocks = execution.blocks(3);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].program()->type(), pva::Program::Type::StreamCopyBegin);
  EXPECT_EQ(blocks[1].program()->type(), pva::Program::Type::StreamCopyMid);
  EXPECT_EQ(blocks[2].program()->type(), pva::Program::Type::StreamCopyEnd);
  EXPECT_LT(blocks[1].cyclesFrom(), blocks[1].cyclesTo());
  EXPECT_TRUE(blocks[1].isStreamCopy());
  EXPECT_FALSE(blocks[1].isCommon());
}

TEST(Blocks, AreKeptOfAllRuns) {
  ProfiledGraph g;
  Engine engine = g.run(Block(Execute(g.add("cs", 0, 0, 10)), "b"),
                        {{"profiler.blocks.filter", "b"}}, 10);
  EXPECT_EQ(engine.getReport().execution().blocks(0).size(), 10u);
}

TEST(Blocks, BeyondWhatIsKeptAreOneOverflow) {
  ProfiledGraph g;
  const unsigned many = (1u << 20) + 10;
  Engine engine =
      g.run(Repeat(many, Block(Execute(g.add("cs", 0, 0, 10)), "b")),
            {{"profiler.blocks.filter", "b"}});
  const auto blocks = engine.getReport().execution().blocks(0);
  ASSERT_EQ(blocks.size(), (1u << 20) + 1);
  const pva::Block &last = blocks.back();
  EXPECT_TRUE(last.isOverflow());
  EXPECT_FALSE(last.program());
  EXPECT_EQ(last.cyclesFrom(), blocks[blocks.size() - 2].cyclesTo());
  const std::uint64_t each = blocks[0].cyclesTo() - blocks[0].cyclesFrom();
  EXPECT_EQ(last.cyclesTo() - last.cyclesFrom(), 10 * each);
}

TEST(Blocks, WithoutAFilterSayWhichOptionToSet) {
  ProfiledGraph g;
  Engine engine = g.run(makePipeline(g), {});
  const pva::Execution execution = engine.getReport().execution();
  try {
    execution.blocks(0);
    FAIL() << "there were blocks";
  } catch (const std::runtime_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("profiler.blocks.filter"));
  }
}
