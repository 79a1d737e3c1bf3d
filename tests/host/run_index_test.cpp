#include "host/events/run_index.hpp"
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

// Feeds an index, and one that is asked for the expected first, and counts
// beside them.
class CountedRun {
public:
  void add(const proto::Event &event) {
    const std::string payload = event.SerializeAsString();
    index_.add(*summary::EventView::parse(payload));
    if (expecting_.addExpectedScalar(payload))
      ++expected_;
    else
      expecting_.add(*summary::EventView::parse(payload));
    for (const auto &value : event.summary().value()) {
      PlainCounts &counts = plain_[value.tag()];
      counts.steps.push_back(event.step());
      counts.bytes +=
          value.has_tensor() ? value.tensor().ByteSizeLong() : sizeof(float);
    }
  }

  void expectEqual() const {
    expectEqual(index_);
    expectEqual(expecting_);
    EXPECT_EQ(expecting_.badTimes(), index_.badTimes());
    EXPECT_EQ(expecting_.events(summary::EventKind::summary),
              index_.events(summary::EventKind::summary));
  }
  // How many events were what was expected.
  int expected() const { return expected_; }

private:
  void expectEqual(const RunIndex &index) const {
    ASSERT_EQ(index.tags().size(), plain_.size());
    for (const TagSeries &series : index.tags()) {
      SCOPED_TRACE(series.tag);
      const TagCounts counts = index.counts(series);
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
  RunIndex expecting_;
  int expected_ = 0;
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

constexpr unsigned kMany = 300; // more than fit in 4096 bytes

TEST(RunIndex, CountsLargeSummariesThatRepeat) {
  CountedRun run;
  for (int step = 0; step < 200; ++step) // also where a step takes a byte more
    run.add(scalars(step, 0, kMany));
  run.expectEqual();
}

TEST(RunIndex, SeesStepsThatGoBackOrRepeatAmongThem) {
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

TEST(RunIndex, FindsOneScalarPerEventInWhateverOrderItWasFoundBefore) {
  CountedRun run;
  for (int step = 0; step < 1000; ++step) {
    run.add(scalars(step, 0, 1));
    run.add(scalars(step, 7, 8));
    if (step % 10 == 0)
      run.add(scalars(step, 3, 4));
    run.add(scalars(step, 2, 3));
  }
  run.expectEqual();
  EXPECT_GT(run.expected(), 2500) << "of 3100";
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
