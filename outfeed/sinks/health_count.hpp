// Counts the elements of tapped tensors that are not ordinary numbers.
#pragma once

#include "outfeed/health/magnitudes.hpp"
#include "outfeed/sinks/sample_sink.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

class HealthCount : public SampleSink {
public:
  // Of one tensor, over all samples; replicas and micro-batches count as one
  // tensor.
  struct Row {
    std::string tag; // from tagOf
    std::uint64_t samples = 0;
    std::uint64_t nan = 0;
    std::uint64_t infinite = 0;
    std::uint64_t saturated = 0;
    std::optional<Update> firstBad{}; // the first with any of these
    Magnitudes magnitudes{};          // of samples with a histogram

    bool isHealthy() const { return !firstBad; }
  };

  void take(const Tap &tap, Update update, const TensorSample &sample) override;

  // Those with at least one sample, in the order of the program.
  std::vector<Row> rows() const;

private:
  std::map<TapId, Row> rows_;
};

} // namespace popscope::outfeed
