// What a sample was computed from, as far as it is known.
#pragma once

#include "outfeed/health/cause.hpp"
#include "outfeed/health/health_history.hpp"
#include "outfeed/health/point_graph.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace popscope::outfeed {

class InputTrace {
public:
  // Both outlive it.
  InputTrace(const PointGraph &graph, const HealthHistory &history)
      : graph_(graph), history_(history) {}

  // What a weight held before the first update.
  void setBefore(const std::string &name, const TensorHealth &health) {
    before_[name] = health;
  }
  // The first update, if it is not 0.
  void resumeAt(Update update) { first_ = update; }

  // The direct inputs, in the order of the derivation, as they were at this
  // update. In place of one that was not watched then, what it was selected
  // from, since that is not smaller; the health of others is absent, and what
  // they are computed from comes last.
  std::vector<KnownInput> inputsOf(std::size_t point, Update update,
                                   const SampleOrigin &origin) const;

private:
  class Search;

  // Empty if it is not known.
  KnownInput read(const PointGraph::Input &input, Update update,
                  const SampleOrigin &origin, bool ofMicroBatch) const;
  const TensorHealth *healthAt(std::size_t point, Update update,
                               const SampleOrigin &origin,
                               bool ofMicroBatch) const;

  const PointGraph &graph_;
  const HealthHistory &history_;
  Update first_{0};
  std::map<std::string, TensorHealth> before_; // the first update
};

} // namespace popscope::outfeed
