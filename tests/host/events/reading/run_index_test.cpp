#include "host/events/reading/run_index.hpp"
#include "summary/proto/event.pb.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

namespace popscope::host::events {
namespace {

namespace proto = summary::proto;

// The same by the plain way: every value of every event, one at a time.
struct PlainCounts {
  std::vector<std::int64_t> steps;
  std::uint64_t bytes = 0;

  std::uint64_t outOfOrder() const {
    std::uint64_t count = 0;
    for (std::size_t i = 1; i < steps.size(); ++i)
      count += steps[i] < steps[i - 1];
    return count;
  }
  std::uint64_t repeated() const {
    std::uint64_t count = 0;
    for (std::size_t i = 1; i < steps.size(); ++i)
      count += steps[i] == steps[i - 1];
    return count;
  }
};

// Feeds an index, and one that takes events in parts, and counts beside them.
class CountedRun {
public:
  void add(const proto::Event &event) {
    const std::string payload = event.SerializeAsString();
    index_.add(*summary::EventView::parse(payload));
    part_.add(*summary::EventView::parse(payload));
    if (++events_ % 7 == 0)
      finishPart();
    for (const auto &value : event.summary().value()) {
      PlainCounts &counts = plain_[value.tag()];
      counts.steps.push_back(event.step());
      counts.bytes +=
          value.has_tensor() ? value.tensor().ByteSizeLong() : sizeof(float);
    }
  }

  void expectEqual() {
    finishPart();
    expectEqual(index_);
    expectEqual(joined_);
    EXPECT_EQ(joined_.badTimes(), index_.badTimes());
    EXPECT_EQ(joined_.events(summary::EventKind::summary),
              index_.events(summary::EventKind::summary));
    ASSERT_EQ(joined_.tags().size(), index_.tags().size());
    for (std::size_t i = 0; i < index_.tags().size(); ++i)
      EXPECT_EQ(joined_.tags()[i].tag, index_.tags()[i].tag);
  }

private:
  void finishPart() {
    joined_.append(part_);
    part_ = RunIndex();
  }

  void expectEqual(const RunIndex &index) const {
    ASSERT_EQ(index.tags().size(), plain_.size());
    for (const TagSeries &series : index.tags()) {
      SCOPED_TRACE(series.tag);
      const TagCounts &counts = series.counts;
      const PlainCounts &plain = plain_.at(series.tag);
      EXPECT_EQ(counts.values(), plain.steps.size());
      EXPECT_EQ(counts.bytes(), plain.bytes);
      EXPECT_EQ(counts.firstStep(), plain.steps.front());
      EXPECT_EQ(counts.lastStep(), plain.steps.back());
      const auto [min, max] =
          std::minmax_element(plain.steps.begin(), plain.steps.end());
      EXPECT_EQ(counts.minStep(), *min);
      EXPECT_EQ(counts.maxStep(), *max);
      EXPECT_EQ(counts.outOfOrder(), plain.outOfOrder());
      EXPECT_EQ(counts.repeated(), plain.repeated());
    }
  }

  RunIndex index_;
  RunIndex part_;
  RunIndex joined_; // of all parts
  int events_ = 0;
  std::map<std::string, PlainCounts> plain_;
};

std::string tagOf(unsigned number) {
  return "layer_" + std::to_string(number) + "/mean";
}

// Scalars of tags that follow each other.
proto::Event scalars(std::int64_t step, unsigned first, unsigned end) {
  proto::Event event;
  event.set_wall_time(1.6e9);
  event.set_step(step);
  for (unsigned number = first; number < end; ++number) {
    auto *value = event.mutable_summary()->add_value();
    value->set_tag(tagOf(number));
    value->set_simple_value(float(step) * float(number));
  }
  return event;
}

constexpr unsigned kMany = 300;

TEST(RunIndex, CountsLargeSummariesThatRepeat) {
  CountedRun run;
  for (int step = 0; step < 200; ++step) // also where a step takes a byte more
    run.add(scalars(step, 0, kMany));
  run.expectEqual();
}

TEST(RunIndex, SeesStepsThatGoBackOrRepeatInLargeEvents) {
  CountedRun run;
  for (const int step : {1, 2, 3, 3, 4, 2, 3, 5})
    run.add(scalars(step, 0, kMany));
  run.expectEqual();
}

TEST(RunIndex, SeesATagChangedInALargeSummary) {
  for (const unsigned changed : {0u, kMany / 2, kMany - 1}) {
    CountedRun run;
    run.add(scalars(1, 0, kMany));
    proto::Event event = scalars(2, 0, kMany);
    auto &tag = *event.mutable_summary()->mutable_value(int(changed));
    std::string name = tag.tag();
    name.back() = 'x';
    tag.set_tag(name);
    run.add(event);
    run.expectEqual();
  }
}

TEST(RunIndex, FindsOneScalarPerEventInAnyOrder) {
  CountedRun run;
  for (int step = 0; step < 1000; ++step) {
    run.add(scalars(step, 0, 1));
    run.add(scalars(step, 7, 8));
    if (step % 10 == 0)
      run.add(scalars(step, 3, 4));
    run.add(scalars(step, 2, 3));
  }
  run.expectEqual();
}

TEST(RunIndex, CountsOneScalarOfAnyStepTimeAndTag) {
  CountedRun run;
  for (int round = 0; round < 3; ++round)
    for (const std::int64_t step :
         {0L, 1L, 127L, 128L, 16383L, 16384L, (1L << 28) - 1, 1L << 28,
          (1L << 31) + 5, 1L << 40, -1L})
      for (const std::size_t length : {0u, 1u, 4u, 100u, 118u, 120u, 121u}) {
        proto::Event event = scalars(step, 0, 1);
        event.mutable_summary()->mutable_value(0)->set_tag(
            std::string(length, 'x'));
        if (step == 16384)
          event.set_wall_time(std::numeric_limits<double>::quiet_NaN());
        if (step == 1)
          event.clear_wall_time();
        run.add(event);
      }
  run.expectEqual();
}

// Events of one step that hold `together` scalars each.
std::vector<proto::Event> eventsOf(std::int64_t step, unsigned tags,
                                   unsigned together) {
  std::vector<proto::Event> events;
  for (unsigned first = 0; first < tags; first += together)
    events.push_back(scalars(step, first, std::min(first + together, tags)));
  return events;
}

void addStep(CountedRun &run, std::int64_t step, unsigned tags,
             unsigned together = 1) {
  for (const proto::Event &event : eventsOf(step, tags, together))
    run.add(event);
}

TEST(RunIndex, CountsAnyNumberOfScalarsPerEvent) {
  for (const unsigned together : {1u, 2u, 3u, 8u}) {
    CountedRun run;
    for (int step = 0; step < 200; ++step)
      addStep(run, step, 8, together);
    run.expectEqual();
    // And of one number in some, of another in others.
    for (int step = 200; step < 300; ++step)
      addStep(run, step, 8, step % 3 == 0 ? 1 : together);
    run.expectEqual();
  }
}

TEST(RunIndex, SeesStepsWithFewerTagsAndWithMore) {
  CountedRun run;
  for (int step = 1; step < 100; ++step)
    addStep(run, step, step < 40 ? 8 : step < 50 ? 5 : 9);
  for (int step = 100; step < 110; ++step) {
    addStep(run, step, 9);
    run.add(scalars(step, 20 + unsigned(step % 2), 22));
  }
  run.expectEqual();
}

TEST(RunIndex, SeesStepsThatGoBackOrRepeatInSmallEvents) {
  for (const unsigned together : {1u, 3u}) {
    CountedRun run;
    for (const int step : {1, 2, 3, 4, 4, 5, 6, 2, 3, 4, 5, 7, 7, 7, 8, 9})
      addStep(run, step, 8, together);
    for (int step = 10; step < 20; ++step)
      for (unsigned tag = 0; tag < 8; ++tag) // one of them not in step
        run.add(scalars(tag == 5 ? 30 - step : step, tag, tag + 1));
    run.expectEqual();
  }
}

TEST(RunIndex, SeesAnotherFormOrTagOrTimeOfOneScalar) {
  for (const unsigned place : {0u, 3u, 7u})
    for (int change = 0; change < 4; ++change) {
      CountedRun run;
      for (int step = 1; step < 20; ++step)
        for (unsigned tag = 0; tag < 8; ++tag) {
          proto::Event event = scalars(step, tag, tag + 1);
          auto &value = *event.mutable_summary()->mutable_value(0);
          if (step == 10 && tag == place) {
            if (change == 0)
              value.mutable_tensor()->set_tensor_content(std::string(40, 'x'));
            if (change == 1)
              value.set_tag("other_" + std::to_string(tag) + "/mean");
            if (change == 2)
              event.set_wall_time(std::numeric_limits<double>::infinity());
            if (change == 3) // of the same tag, ahead of the others
              run.add(scalars(100, tag, tag + 1));
          }
          run.add(event);
        }
      run.expectEqual();
    }
}

TEST(RunIndex, SeesATensorBetweenTheScalarsOfATag) {
  CountedRun run;
  addStep(run, 5, 3);
  proto::Event other = scalars(9, 0, 0);
  auto *value = other.mutable_summary()->add_value();
  value->set_tag(tagOf(1));
  value->mutable_tensor()->set_tensor_content("xyz");
  run.add(other);
  for (int step = 6; step < 12; ++step)
    addStep(run, step, 3);
  run.expectEqual();
}

TEST(RunIndex, CountsOtherEventsBetweenScalars) {
  CountedRun run;
  for (int step = 1; step < 50; ++step) {
    addStep(run, step, 8, 2);
    proto::Event event = scalars(step, 0, 0);
    auto *value = event.mutable_summary()->add_value();
    value->set_tag("histogram");
    value->mutable_tensor()->set_tensor_content(std::string(48, 'x'));
    run.add(event);
    event.clear_summary();
    run.add(event);
    event.mutable_summary(); // with nothing in it
    run.add(event);
  }
  run.expectEqual();
}

TEST(RunIndex, CountsStepsOfAnyLengthAndTagsOfAnyLength) {
  CountedRun run;
  for (const std::int64_t step :
       {-5L, -4L, -1L, 0L, 1L, 2L, 127L, 128L, 129L, 16383L, 16384L,
        (1L << 28) - 1, 1L << 28, (1L << 28) + 1, 1L << 40, (1L << 40) + 1})
    for (const std::size_t length : {0u, 1u, 2u, 3u, 10u, 11u, 12u, 26u, 27u,
                                     28u, 110u, 118u, 119u, 120u, 121u, 200u}) {
      proto::Event event = scalars(step, 0, 1);
      event.mutable_summary()->mutable_value(0)->set_tag(
          std::string(length, 'x'));
      run.add(event);
    }
  run.expectEqual();
}

TEST(RunIndex, CountsStepsWhoseTagsChangeOrder) {
  std::mt19937 random(6);
  for (int repeat = 0; repeat < 50; ++repeat) {
    CountedRun run;
    std::int64_t step = 0;
    for (int i = 0; i < 60; ++i) {
      step += random() % 10 == 0 ? -2 : 1;
      auto events = eventsOf(step, 12, random() % 4 == 0 ? 3 : 1);
      if (random() % 5 == 0)
        std::swap(events[random() % events.size()],
                  events[random() % events.size()]);
      if (random() % 5 == 0)
        events.pop_back();
      if (random() % 5 == 0)
        events.push_back(events[random() % events.size()]);
      for (const proto::Event &event : events)
        run.add(event);
    }
    run.expectEqual();
  }
}

TEST(RunIndex, CountsAnyOrderOfAnyEvents) {
  std::mt19937 random(5);
  CountedRun run;
  for (int i = 0; i < 2000; ++i) {
    const unsigned first = random() % 3 == 0 ? random() % kMany : 0;
    const unsigned end = random() % 4 == 0 ? first + random() % 10 : kMany;
    proto::Event event = scalars(i - int(random() % 8 == 0) * 3, first, end);
    if (random() % 5 == 0) {
      auto *value = event.mutable_summary()->add_value();
      value->set_tag("histogram");
      value->mutable_tensor()->set_tensor_content(std::string(48, 'x'));
    }
    if (random() % 7 == 0 && event.summary().value_size() > 1)
      event.mutable_summary()->mutable_value()->SwapElements(0, 1);
    run.add(event);
  }
  run.expectEqual();
}

} // namespace
} // namespace popscope::host::events
