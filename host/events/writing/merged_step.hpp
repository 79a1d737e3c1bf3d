// The events that parts of a run have at one step, made into one set of values.
#pragma once

#include "summary/reading/event_view.hpp"
#include "summary/values/histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host::events {

// What became of the values of all inputs.
struct MergeCounts {
  std::uint64_t points = 0;   // written
  std::uint64_t equal = 0;    // left out, because another input has the same
  std::uint64_t replaced = 0; // left out, because a later one has its place
  std::uint64_t folded = 0;   // made into fewer, of the whole tensor
  std::uint64_t unknown = 0;  // left out, because they cannot be folded
  // Those of `replaced` that are statistics of taps which another input has
  // too: folding them may have been meant.
  std::uint64_t foldable = 0;
};

enum class Taps { join, fold };

// The values of a tag at one step become one. A value with the same content and
// time as that of an earlier part is a copy. Of several values of one part the
// last one counts. Of several parts the last one counts too, in the order in
// which they were added; with Taps::fold, statistics of taps are folded.
class MergedStep {
public:
  struct Value {
    summary::ValueView view;
    bool isKept = true;
    // In place of its own content.
    std::optional<double> scalar;
    std::optional<summary::Histogram> histogram;

    bool isChanged() const { return !isKept || scalar || histogram; }
  };
  struct Event {
    std::size_t part;
    std::string payload;
    summary::EventView view; // of the payload
    std::vector<Value> values;
  };

  // In order of wall time. Throws std::runtime_error if the payload is not an
  // event whose summary can be parsed.
  void add(std::size_t part, std::string payload);
  // After the last one: decides what is kept.
  void resolve(Taps taps, MergeCounts &counts);

  const std::deque<Event> &events() const { return events_; }

private:
  std::deque<Event> events_; // never moves them: views point into them
};

} // namespace popscope::host::events
