// What callbacks are told of an epoch.
#pragma once

#include "host/callbacks/callback.hpp"

#include <memory>
#include <vector>

namespace popscope::tests {

inline host::EpochResult resultOf(unsigned epoch) {
  host::EpochResult result;
  result.epoch = host::Epoch(epoch);
  result.learningRate = 0.25;
  result.training = {{"loss", 2.0}, {"accuracy", 0.5}};
  result.weights = std::make_shared<const std::vector<host::WeightValues>>(
      std::vector<host::WeightValues>{
          {"conv/kernel", {1, 1, 1, 2}, {-1.0f, 1.0f}},
          {"dense/bias", {2}, {0.0f, 1.0f}}});
  result.testPredictions = std::make_shared<const host::Predictions>(
      host::Predictions{2,
                        {0.9f, 0.1f, 0.2f, 0.8f, 0.3f, 0.7f, 0.4f, 0.6f},
                        {2.0f, -1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 0.5f}});
  return result;
}

} // namespace popscope::tests
