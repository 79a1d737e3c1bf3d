#include "outfeed/rules/schedule_parser.hpp"
#include "outfeed/rules/update_schedule.hpp"

#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

std::vector<std::uint32_t> dueUpdates(const UpdateSchedule &schedule,
                                      std::uint32_t end) {
  std::vector<std::uint32_t> due;
  for (std::uint32_t update = 0; update < end; ++update)
    if (schedule.isDue(Update(update)))
      due.push_back(update);
  return due;
}

using Updates = std::vector<std::uint32_t>;

TEST(UpdateSchedule, WithoutWordsIsAlwaysDue) {
  EXPECT_TRUE(parseSchedule("").isAlways());
  EXPECT_TRUE(parseSchedule("every 1").isAlways());
  EXPECT_FALSE(parseSchedule("every 2").isAlways());
}

TEST(UpdateSchedule, RepeatsBetweenItsEnds) {
  EXPECT_EQ(dueUpdates(parseSchedule("every 3 from 2 until 9"), 20),
            (Updates{2, 5, 8}));
  EXPECT_EQ(dueUpdates(parseSchedule("until 2"), 20), (Updates{0, 1, 2}));
}

TEST(UpdateSchedule, AListStandsAloneOrBesideAPeriod) {
  EXPECT_EQ(dueUpdates(parseSchedule("steps 7,1,4"), 20), (Updates{1, 4, 7}));
  EXPECT_EQ(dueUpdates(parseSchedule("steps 3, 4, 9 every 8"), 10),
            (Updates{0, 3, 4, 8, 9}));
  EXPECT_EQ(dueUpdates(parseSchedule("every 5 steps 1"), 11),
            (Updates{0, 1, 5, 10}));
}

TEST(UpdateSchedule, MayNeverBeDue) {
  EXPECT_TRUE(parseSchedule("never").isNever());
  EXPECT_FALSE(parseSchedule("updates 7").isNever());
  EXPECT_EQ(dueUpdates(parseSchedule("never"), 20), Updates{});
  EXPECT_EQ(parseSchedule("never").dueBefore(Update(20)), 0u);
}

TEST(UpdateSchedule, TellsTheNthDueUpdate) {
  for (const char *text :
       {"every 3 from 2", "steps 1,4,9", "every 5 steps 1"}) {
    const UpdateSchedule schedule = parseSchedule(text);
    const Updates due = dueUpdates(schedule, 30);
    for (std::size_t n = 0; n < due.size(); ++n)
      EXPECT_EQ(schedule.dueUpdate(n).value(), due[n]) << text;
  }
}

TEST(UpdateSchedule, FindsALateDueUpdateWithoutCountingUpToIt) {
  EXPECT_EQ(parseSchedule("steps 1,4000000000").dueUpdate(1).value(),
            4000000000u);
  EXPECT_EQ(parseSchedule("every 3 steps 1").dueUpdate(1000000001).value(),
            3000000000u);
}

TEST(UpdateSchedule, CountsTheDueUpdatesBeforeAnother) {
  for (const char *text : {"", "every 3 from 2", "every 3 from 2 until 9",
                           "steps 1,4,9", "every 5 steps 1,5"}) {
    const UpdateSchedule schedule = parseSchedule(text);
    for (std::uint32_t update = 0; update < 30; ++update)
      EXPECT_EQ(schedule.dueBefore(Update(update)),
                dueUpdates(schedule, update).size())
          << text << " before " << update;
  }
}

TEST(UpdateSchedule, ItsTextSaysTheSame) {
  for (const char *text : {"every 1", "every 3 from 2 until 9", "updates 1,4,7",
                           "every 5 updates 1", "never"}) {
    EXPECT_EQ(parseSchedule(text).text(), text);
    EXPECT_TRUE(parseSchedule(parseSchedule(text).text()) ==
                parseSchedule(text));
  }
}

TEST(UpdateSchedule, WithinASpanIsDueAtTheSameUpdatesOfIt) {
  const UpdateSchedule schedules[] = {
      {}, {3, 1, 17, {}}, {7, 2, 40, {4, 5, 30}}, {0, 0, 0, {2, 9}}};
  for (const UpdateSchedule &schedule : schedules)
    for (unsigned first = 0; first < 25; ++first)
      for (unsigned last = first; last < 25; ++last) {
        const UpdateSchedule part =
            schedule.within(Update(first), Update(last));
        for (unsigned update = 0; update < 50; ++update)
          EXPECT_EQ(part.isDue(Update(update)),
                    update >= first && update <= last &&
                        schedule.isDue(Update(update)))
              << schedule.text() << " within " << first << " to " << last
              << " at " << update;
      }
}

} // namespace
} // namespace popscope::outfeed
