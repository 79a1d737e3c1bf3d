// One line per epoch in a CSV file.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/run/run_report.hpp"
#include "summary/records/line_writer.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace popscope::host {

// Columns: epoch (from 0, as in Keras and on TensorBoard's axis; the screen
// counts from 1), learning_rate, each metric, val_<metric> of each; empty where
// there was no validation.
class CsvLog : public Callback {
public:
  // Keeps the lines of epochs below `firstEpoch` that the file has. `report`
  // outlives this.
  CsvLog(const std::filesystem::path &file, Epoch firstEpoch,
         const MetricValues &metrics, RunReport &report);

  std::string name() const override { return "CSV log"; }
  void epochEnd(const EpochResult &result) override;
  void trainEnd() override;

private:
  void tellLosses();

  const std::size_t metrics_; // columns of each kind
  const summary::WriteListener onLoss_;
  std::unique_ptr<summary::LineWriter> lines_;
};

} // namespace popscope::host
