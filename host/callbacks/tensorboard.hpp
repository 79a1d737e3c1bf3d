// Curves, histograms and the graph, in the layout of Keras' TensorBoard
// callback.
#pragma once

#include "graph/model_spec.hpp"
#include "host/callbacks/callback.hpp"
#include "host/run/run_directory.hpp"

#include <cstddef>
#include <memory>

namespace popscope::host {

// Runs `train` and `validation` with epoch_<metric>; in `train` also
// epoch_learning_rate, <weight>/histogram when due, and the model's graph; in
// `validation` also evaluation_<metric>_vs_iterations, whose steps are updates.
class TensorBoard : public Callback {
public:
  struct Page {
    graph::ModelSpec model;
    std::size_t batchSize;
  };

  // The run outlives the callback.
  TensorBoard(const RunDirectory &run, Page page, Stagger histograms);

  std::string name() const override { return "TensorBoard"; }
  Wants wants(Epoch epoch) const override;
  void trainBegin() override;
  void epochEnd(const EpochResult &result) override;

private:
  void writeValidation(const EpochResult &result);

  const RunDirectory &run_;
  const Page page_;
  const Stagger histograms_;
  const std::unique_ptr<summary::EventWriter> train_;
  std::unique_ptr<summary::EventWriter>
      validation_; // from the first validation on
};

} // namespace popscope::host
