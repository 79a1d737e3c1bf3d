// Full tensors as NumPy arrays: one file per tensor, one row per transfer.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// numpy.load opens NAME.npy ('/' in names becomes '.') at any time, even if the
// program was killed or the disk was full: an array [transfers, ...shape] of
// the transfers that are whole, in the order of their arrival. A file that
// cannot be written ends alone: its loss is told to `onLoss` and counted in
// reports().
class NpyDump : public SampleSink {
public:
  // Transfers per update, of a tensor tapped in every micro-batch and of one
  // tapped once.
  struct TransfersPerStep {
    std::uint64_t ofMicroBatches = 1;
    std::uint64_t ofUpdates = 1;
  };
  NpyDump(std::filesystem::path directory, const TransfersPerStep &perStep,
          summary::WriteListener onLoss = {});

  // Keeps the transfers of earlier updates, if none were dropped.
  void resume(summary::Step firstStep) override { firstStep_ = firstStep; }
  void take(const Tap &, summary::Step, const TensorSample &) override {}
  void takeElements(const Tap &tap, summary::Step step,
                    const SampleOrigin &origin, const void *elements,
                    std::size_t bytes) override;
  void flush() override;
  std::vector<summary::WriteReport> reports() const override;

private:
  struct File {
    std::filesystem::path path;
    std::fstream stream;
    const Tap *tap = nullptr;
    std::uint64_t transfers = 0;
    // Of this start of the program.
    std::optional<summary::Step> firstStep{};
    summary::WriteReport report{};
  };
  File &fileOf(const Tap &tap);
  void open(File &file) const;
  // False if the disk did not take it.
  static bool append(File &file, const void *elements, std::size_t bytes);
  static void writeHeader(File &file);
  std::uint64_t transfersToKeep(const std::filesystem::path &path,
                                const Tap &tap) const;

  const std::filesystem::path directory_;
  const TransfersPerStep perStep_;
  const summary::WriteListener onLoss_;
  summary::Step firstStep_{0};
  std::map<TapId, File> files_;
};

} // namespace popscope::outfeed
