#include "tests/e2e/events/events_log.hpp"

namespace popscope {
namespace {

TEST_F(EventsCommand, CatPrintsEveryValueOfATag) {
  const auto result = events("cat " + logs().string() +
                             " --tag loss --from-step 1 --to-step 2");
  EXPECT_EQ(result.output, "train\t1600000002.0\t1\tscalars\tloss\t0.5\n"
                           "train\t1600000003.0\t2\tscalars\tloss\t"
                           "0.3333333432674408\n");
}

TEST_F(EventsCommand, CatKeepsEmptyCellsOfATable) {
  {
    EventWriter writer(logs() / "tables");
    writer.table(Tag("table"), Step(0), {{}, {{"", "b"}, {"c", ""}}});
  }
  EXPECT_THAT(events("cat " + logs().string() + " --tag table").output,
              HasSubstr("\ttext\ttable\t | b | c | \n"));
}

} // namespace
} // namespace popscope
