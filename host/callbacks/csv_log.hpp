// One line per epoch in a CSV file.
#pragma once

#include "host/callbacks/callback.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace popscope::host {

// Columns: epoch (from 0, as in Keras and on TensorBoard's axis; the screen
// counts from 1), learning_rate, each metric, val_<metric> of each; empty where
// there was no validation.
class CsvLog : public Callback {
public:
  // Keeps the lines that the file has of epochs before `firstEpoch`. Throws
  // std::runtime_error if it cannot be written.
  CsvLog(const std::filesystem::path &file, Epoch firstEpoch,
         const MetricValues &metrics);

  std::string name() const override { return "CSV log"; }
  void epochEnd(const EpochResult &result) override;

private:
  const std::string file_;
  const std::size_t metrics_; // columns of each kind
  std::ofstream out_;
};

} // namespace popscope::host
