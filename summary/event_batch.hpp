// Values that belong to one step and go into one event.
#pragma once

#include "summary/tag.hpp"
#include "summary/types.hpp"
#include "summary/values/value.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace popscope::summary {

struct Histogram;

//   EventBatch batch{Step(7)};
//   batch.add(Tag("loss"), 0.5F);
//   batch.add(Tag("weights"), uniformHistogram(weights));
//   writer.write(batch);
//
// Values are encoded here, without a lock.
class EventBatch {
public:
  explicit EventBatch(Step step) : step_(step) {}
  // With an explicit wall time, for data that were recorded earlier.
  EventBatch(Step step, WallTime time) : step_(step), time_(time) {}

  void add(Tag tag, Value value) {
    entries_.push_back({std::move(tag), std::move(value)});
  }
  // Adds the buckets under `tag` and, if some elements are in no bucket, their
  // numbers as the scalars `tag`/nan, `tag`/pos_inf and `tag`/neg_inf.
  void add(const Tag &tag, const Histogram &histogram);
  // Any other kind that has a toValue.
  template <class Kind> void add(Tag tag, const Kind &kind) {
    add(std::move(tag), toValue(kind));
  }

  struct Entry {
    Tag tag;
    Value value;
  };
  Step step() const { return step_; }
  const std::optional<WallTime> &time() const { return time_; }
  const std::vector<Entry> &entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

private:
  Step step_;
  std::optional<WallTime> time_;
  std::vector<Entry> entries_;
};

} // namespace popscope::summary
