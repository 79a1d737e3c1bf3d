// What a program held before its last updates, so that they can be run again.
#pragma once

#include "outfeed/rules/update_schedule.hpp"

#include <poplar/Engine.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// To replay an update of a program: save before its updates, restore into an
// engine of the same program, which may have other taps, call resumeAt of its
// session with the update that restore returns, and run from there with the
// same data.
class StateHistory {
public:
  // A tensor that updates change. The handle is that of a host read and of a
  // host write; the bytes are those of all replicas.
  struct Part {
    std::string handle;
    std::size_t bytes;
  };
  // The last `kept` states are kept; 1 or more.
  explicit StateHistory(std::vector<Part> parts, std::size_t kept = 1);

  // Between runs, before this update. Each time costs a transfer of all parts:
  // it may be done at some updates only, and a replay then begins there.
  void save(poplar::Engine &engine, Update update);
  // Writes the last state that was saved before this update or at it, and
  // returns the update that comes next. Nothing if no such state is kept.
  std::optional<Update> restore(poplar::Engine &engine, Update update) const;

private:
  struct State {
    Update update;
    std::vector<std::vector<char>> parts;
  };
  const std::vector<Part> parts_;
  const std::size_t kept_;
  std::deque<State> states_; // ascending by update
};

} // namespace popscope::outfeed
