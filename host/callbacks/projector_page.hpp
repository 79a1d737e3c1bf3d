// What the trained model makes of some test images, for TensorBoard's
// projector.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

// After the last epoch writes two embeddings of the first images of the test
// set, each with its label, the model's answer and its picture: the last
// layer's `logits`, and the `probabilities` that softmax makes of them.
class ProjectorPage : public Callback {
public:
  // `images` is from 1 to the size of the set, which outlives the callback. The
  // predictions have logits.
  ProjectorPage(std::filesystem::path runDirectory, unsigned epochs,
                const Dataset &test, std::size_t images,
                std::vector<std::string> classNames);

  std::string name() const override { return "projector"; }
  Wants wants(Epoch epoch) const override;
  // Throws std::system_error if a file cannot be written.
  void epochEnd(const EpochResult &result) override;

private:
  bool isLast(Epoch epoch) const { return epoch.number() == epochs_; }

  const std::filesystem::path runDirectory_;
  const unsigned epochs_;
  const Dataset &test_;
  const std::size_t images_;
  const std::vector<std::string> classNames_;
};

} // namespace popscope::host
