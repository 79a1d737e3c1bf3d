// The health of every watched tensor in the last few updates.
#pragma once

#include "outfeed/health/tensor_health.hpp"
#include "outfeed/rules/update_schedule.hpp"
#include "outfeed/tap_plan.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace popscope::outfeed {

class HealthHistory {
public:
  // Updates whose samples may still arrive, and the one before them.
  static constexpr std::size_t kUpdates = 4;

  HealthHistory(std::size_t points, unsigned replicas);

  void put(std::size_t point, Update update, const SampleOrigin &origin,
           const TensorHealth &health);
  // Null if there was no sample.
  const TensorHealth *find(std::size_t point, Update update,
                           const SampleOrigin &origin) const;
  // That of the micro-batch with the most bad elements, or else with the
  // largest magnitude.
  const TensorHealth *worst(std::size_t point, Update update,
                            unsigned replica) const;

private:
  struct OfUpdate {
    bool isKnown = false;
    Update update{0};
    std::vector<TensorHealth> microBatches;
  };
  using OfReplica = std::array<OfUpdate, kUpdates>; // by update, in turn

  const OfUpdate *ofUpdate(std::size_t point, Update update,
                           unsigned replica) const;

  const unsigned replicas_;
  std::vector<std::vector<OfReplica>> points_; // empty if not watched
};

} // namespace popscope::outfeed
