#include "host/events/run_index.hpp"
#include "summary/proto/event.pb.h"

#include <algorithm>
#include <gtest/gtest.h>
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

// Feeds an index and counts beside it.
class CountedRun {
public:
  void add(const proto::Event &event) {
    const std::string payload = event.SerializeAsString();
    index_.add(*summary::EventView::parse(payload));
    for (const auto &value : event.summary().value()) {
      PlainCounts &counts = plain_[value.tag()];
      counts.steps.push_back(event.step());
      counts.bytes +=
          value.has_tensor() ? value.tensor().ByteSizeLong() : sizeof(float);
    }
  }

  void expectEqual() const {
    ASSERT_EQ(index_.tags().size(), plain_.size());
    for (const TagSeries &series : index_.tags()) {
      SCOPED_TRACE(series.tag);
      const TagCounts counts = index_.counts(series);
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

private:
  RunIndex index_;
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
