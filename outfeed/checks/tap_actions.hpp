// What a check may ask of the taps while a program runs.
#pragma once

#include "outfeed/checks/check_set.hpp"
#include "outfeed/control/tap_control.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace popscope::outfeed {

class TapActions {
public:
  // Both outlive this.
  TapActions(const TapPlan &plan, TapControl &control)
      : plan_(plan), control_(control) {}

  // The tensor is sent at every update for so many updates, then as its rule
  // says. Again before that: for so many from now on.
  void sample(const TensorTraits &tensor, Update now, std::uint32_t updates);
  // The whole tensor is written at the next update. Throws
  // std::invalid_argument if that is not compiled in.
  void dump(const TensorTraits &tensor);
  // What of the two is due; nothing for other actions.
  void act(const DueAction &due);
  // Ends what is over at this update.
  void advance(Update now);

private:
  struct Raised {
    UpdateSchedule before;
    std::uint32_t until;
  };

  const TapPlan &plan_;
  TapControl &control_;
  std::map<std::string, Raised> raised_; // by filter
};

// Of this tensor alone.
std::string filterOf(const TensorTraits &tensor);

} // namespace popscope::outfeed
