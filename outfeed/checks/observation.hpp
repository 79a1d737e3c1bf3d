// What checks know of a tensor at an update.
#pragma once

#include "outfeed/rules/update_schedule.hpp"
#include "outfeed/sinks/statistic.hpp"
#include "outfeed/tap_plan.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// A tensor, or one replica and micro-batch of it if samples are kept apart.
struct Series {
  std::size_t number = 0; // in the order in which series were seen
  std::size_t place = 0;  // of the tensor in the program
  TensorTraits tensor;
  std::optional<SampleOrigin> origin;
  std::string tag; // what findings call it
};

// The statistics that an event file has, as floats: a training and its log
// make the same observations.
class Observation {
public:
  Observation(); // nothing is known
  explicit Observation(const TensorSample &sample);

  void set(Statistic statistic, float value);
  // Of kLoggedStatistics. What an event file leaves out because it is 0 is 0.
  std::optional<double> operator[](Statistic statistic) const;

  // The first statistic in which they differ, unless all that is known is the
  // same.
  friend std::optional<Statistic> difference(const Observation &a,
                                             const Observation &b);

private:
  std::array<float, kNumLogged> values_; // NaN: not known
};

struct Observed {
  const Series *series;
  Observation value;
};

// In the order of the program, then of replicas and micro-batches.
struct UpdateObservations {
  Update update{0};
  std::vector<Observed> all;
};

// What is known of the program that is checked.
struct ProgramFacts {
  std::vector<TensorTraits> tensors; // all, in the order of the program
  unsigned replicas = 1;
  unsigned microBatchesPerUpdate = 1;
  double itemsPerMicroBatch = 1; // such as images
  // The gradients of micro-batches and replicas are added, not averaged.
  bool gradientsAreSummed = false;
  // By which the gradients of micro-batches are multiplied.
  double lossScale = 1;
};

} // namespace popscope::outfeed
