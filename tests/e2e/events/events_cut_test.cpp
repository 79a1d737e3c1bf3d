#include "tests/e2e/events/events_log.hpp"

namespace popscope {
namespace {

TEST_F(EventsCommand, RepairKeepsEveryWholeRecordAndLeavesTheOriginal) {
  const auto before = tests::readEvents(file());
  damage(offsetOf(3) + summary::kHeaderBytes + 3);
  const std::string original = readFile(file());
  const auto result =
      events("repair " + file().string() + " -o " + newFile().string());
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_EQ(readFile(file()), original);
  const auto after = tests::readEvents(newFile());
  ASSERT_EQ(after.size(), before.size() - 1);
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_EQ(after[i].SerializeAsString(),
              before[i < 3 ? i : i + 1].SerializeAsString());
}

TEST_F(EventsCommand, RepairNeverOverwrites) {
  const std::string original = readFile(file());
  const auto result =
      events("repair " + file().string() + " -o " + file().string());
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(readFile(file()), original);
}

TEST_F(EventsCommand, CutKeepsStepsAndTagsAndTheirMetadata) {
  const auto result =
      events("cut " + logs().string() + " --from-step 2 --tag weights -o " +
             newFile().string());
  ASSERT_EQ(result.exitCode, 0) << result.output;
  const auto values = tests::valuesOf(tests::readEvents(newFile()), "weights");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].metadata().plugin_data().plugin_name(), "histograms")
      << "readers honour the metadata of the first value only";
  EXPECT_THAT(events("inspect " + newFile().string()).output,
              HasSubstr("tag\t.\thistograms\tweights\t2\t2\t3\t"));
  EXPECT_THAT(events("inspect " + newFile().string()).output,
              Not(HasSubstr("loss")));
}

} // namespace
} // namespace popscope
