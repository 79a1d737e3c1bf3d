// Curves, histograms and the graph, in the layout of Keras' TensorBoard
// callback.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/graph_page/training_page.hpp"
#include "host/run/run_directory.hpp"

#include <memory>

namespace popscope::host {

// Runs `train` and `validation` with epoch_<metric>; in `train` also
// epoch_learning_rate, <weight>/histogram when due, and the training's graph;
// in `validation` also evaluation_<metric>_vs_iterations, whose steps are
// updates.
class TensorBoard : public Callback {
public:
  // `updatesBefore` were made before the run's first epoch. The run outlives
  // the callback.
  TensorBoard(const RunDirectory &run, TrainingPage page, Stagger histograms,
              std::uint64_t updatesBefore = 0);

  std::string name() const override { return "TensorBoard"; }
  Wants wants(Epoch epoch) const override;
  void trainBegin() override;
  void epochEnd(const EpochResult &result) override;

private:
  void openValidation();
  void writeValidation(const EpochResult &result);

  const RunDirectory &run_;
  const TrainingPage page_;
  const Stagger histograms_;
  const std::uint64_t updatesBefore_;
  const std::shared_ptr<summary::EventWriter> train_;
  std::shared_ptr<summary::EventWriter>
      validation_; // from the first validation on
};

} // namespace popscope::host
