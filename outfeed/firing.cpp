#include "outfeed/firing.hpp"

namespace popscope::outfeed {

std::string lineOf(const Firing &firing) {
  return "update " + std::to_string(firing.update.value()) + ": " +
         tagOf(firing.tap.tensor) + ": " +
         describe(*firing.tap.condition, firing.evidence);
}

} // namespace popscope::outfeed
