// Training steps of networks that are no presets, written with calls of PopLibs
// as in a program of a user.
#pragma once

#include <poplar/Engine.hpp>

#include <memory>
#include <string>
#include <vector>

namespace benchmarks {

class UserNetwork {
public:
  // "residual": 32x32x3, batch 64; two blocks of convolutions with stride 2,
  // padding, batch norm and a shortcut. "wide-mlp": 784 inputs, batch 32, two
  // layers of 1,024 units. Both: ten classes, cross entropy, SGD.
  explicit UserNetwork(const std::string &name);

  // Trains on the same batch again and again.
  void step() { engine_->run(); }
  // Of the last step, summed over the batch.
  float loss() const;

private:
  std::vector<float> images_, losses_;
  std::vector<unsigned> labels_;
  std::unique_ptr<poplar::Engine> engine_;
};

} // namespace benchmarks
