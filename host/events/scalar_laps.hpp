// Scalars that come in the same order at every step, counted without touching
// what is known of each tag.
#pragma once

#include "summary/reading/event_view.hpp"
#include "summary/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::host::events {

// The first bytes of an event with a step and a summary, in the order most
// writers choose: 09 time 10 step... 2a, before the length of the summary.
struct EventHead {
  static constexpr std::size_t kStepAt = 10;
  static constexpr std::size_t kMostStepBytes = 4;
  // No event with a step and a scalar is shorter.
  static constexpr std::size_t kFewestBytes = 22;

  std::int64_t step = 0;
  std::size_t bytes = 0;

  // Empty for any other event, and for steps of more bytes.
  static std::optional<EventHead> parse(std::string_view payload);
};

inline bool hasFiniteTime(std::string_view payload) {
  constexpr std::uint64_t kExponent = std::uint64_t(0x7ff) << 52;
  const auto time =
      summary::loadLittleEndian<std::uint64_t>(payload.data() + 1);
  return (time & kExponent) != kExponent;
}

// A writer mostly sends the same scalars in the same order at every step, in
// one event or in many. Such a round, of tags that are known by their numbers,
// is a lap. It differs from the one before in its times, steps and floats only,
// and comparing all other bytes is many times faster than walking over the
// values. A lap that is under way counts for the tags it has passed.
class ScalarLaps {
public:
  // Learning: a scalar of this tag was counted elsewhere.
  void learn(std::size_t number, std::int64_t step);
  // What is learnt at this step is no lap.
  void spoil() { isSpoilt_ = true; }
  // The number of the tag that would begin a lap of this step, if there has
  // been one that can be expected again.
  std::optional<std::size_t> firstOf(std::int64_t step) const;
  // From here on laps are taken. scalarStart(number) gives that of a tag.
  template <class ScalarStart> void begin(ScalarStart scalarStart);
  // Takes an event's summary if it holds the scalars that come next, and no
  // more; false if it does not.
  bool take(std::int64_t step, std::string_view summary);
  // The same for events as they are in their records, as long as each of them
  // has one scalar and a head as above. Returns how many were taken; that the
  // next one was not says nothing of it.
  std::size_t takeScalars(summary::Span<const std::string_view> payloads);
  // No laps are taken any more, and all is forgotten.
  void end();

  bool areTaken() const { return areTaken_; }
  // Of the lap that is learnt or taken.
  const std::vector<std::uint32_t> &tags() const { return tags_; }
  bool have(std::size_t number) const {
    return number < places_.size() && places_[number] < tags_.size() &&
           tags_[places_[number]] == number;
  }
  // The tag passed last.
  std::size_t last() const { return tags_[next_ - 1]; }

  // What was taken of a tag's scalars.
  struct Counted {
    std::uint64_t values = 0;
    std::int64_t lastStep = 0; // if there are any
  };
  Counted counted(std::size_t number) const;

private:
  bool isAtEnd() const { return next_ == tags_.size(); }
  bool beginsLap(std::string_view payload);
  std::size_t takeLap(summary::Span<const std::string_view> payloads);
  bool isScalar(std::size_t place, std::string_view behindHead) const;
  std::size_t placeBehind(std::size_t place, std::size_t bytes) const;
  bool matches(std::size_t place, std::string_view summary) const;
  void startLap(std::int64_t step);

  bool areTaken_ = false;
  bool isSpoilt_ = false;
  std::int64_t step_ = 0;
  std::vector<std::uint32_t> tags_;
  // Where in a lap a tag is; for a tag that is in none, anything.
  std::vector<std::uint32_t> places_;

  // The scalars one after the other, and where each of them begins.
  std::string bytes_;
  std::string mask_; // of the bytes, zero where a float stands
  std::vector<std::size_t> begins_;

  std::uint64_t laps_ = 0;      // taken, the one under way included
  std::int64_t stepBefore_ = 0; // of the lap before
  std::size_t next_ = 0;        // place
  std::size_t together_ = 1;    // scalars of the last event

  // The bytes that begin an event of this step, behind its time. If the step
  // has too many, no event has these.
  std::uint64_t head_ = 1;
  std::uint64_t headMask_ = 0;
  std::size_t headBytes_ = 0; // with the time
};

template <class ScalarStart> void ScalarLaps::begin(ScalarStart scalarStart) {
  bytes_.clear();
  mask_.clear();
  begins_.assign(1, 0);
  for (const std::uint32_t number : tags_) {
    const std::string_view start = scalarStart(number);
    bytes_ += start;
    mask_.append(start.size(), '\xff');
    bytes_.append(sizeof(float), '\0');
    mask_.append(sizeof(float), '\0');
    begins_.push_back(bytes_.size());
  }
  areTaken_ = true;
  laps_ = 0;
  next_ = tags_.size();
}

} // namespace popscope::host::events
