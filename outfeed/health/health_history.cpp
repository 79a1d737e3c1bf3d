#include "outfeed/health/health_history.hpp"

#include <algorithm>

namespace popscope::outfeed {

HealthHistory::HealthHistory(std::size_t points, unsigned replicas)
    : replicas_(replicas), points_(points) {}

void HealthHistory::put(std::size_t point, Update update,
                        const SampleOrigin &origin,
                        const TensorHealth &health) {
  if (points_[point].empty())
    points_[point].resize(replicas_);
  OfUpdate &slot = points_[point][origin.replica][update.value() % kUpdates];
  if (!slot.isKnown || slot.update != update)
    slot.microBatches.clear();
  slot.isKnown = true;
  slot.update = update;
  if (slot.microBatches.size() <= origin.microBatch)
    slot.microBatches.resize(origin.microBatch + 1);
  slot.microBatches[origin.microBatch] = health;
}

const HealthHistory::OfUpdate *HealthHistory::ofUpdate(std::size_t point,
                                                       Update update,
                                                       unsigned replica) const {
  if (points_[point].empty())
    return nullptr;
  const OfUpdate &slot = points_[point][replica][update.value() % kUpdates];
  return slot.isKnown && slot.update == update ? &slot : nullptr;
}

const TensorHealth *HealthHistory::find(std::size_t point, Update update,
                                        const SampleOrigin &origin) const {
  const OfUpdate *const found = ofUpdate(point, update, origin.replica);
  return found && origin.microBatch < found->microBatches.size()
             ? &found->microBatches[origin.microBatch]
             : nullptr;
}

const TensorHealth *HealthHistory::worst(std::size_t point, Update update,
                                         unsigned replica) const {
  const OfUpdate *const found = ofUpdate(point, update, replica);
  if (!found)
    return nullptr;
  return &*std::max_element(
      found->microBatches.begin(), found->microBatches.end(),
      [](const TensorHealth &a, const TensorHealth &b) {
        return a.bad() != b.bad() ? a.bad() < b.bad() : a.absMax < b.absMax;
      });
}

} // namespace popscope::outfeed
