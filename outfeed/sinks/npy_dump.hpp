// Full tensors as NumPy arrays, one file per tensor, one entry per transfer.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace popscope::outfeed {

// numpy.load opens NAME.npy, '/' in names being '.', at any time, even if the
// program was killed or the disk was full: an array [transfers, ...shape] of
// the transfers that are whole, in the order of their arrival.
class NpyDump : public SampleSink {
public:
  // Transfers of a tensor in one update, if it is seen in every micro-batch and
  // if it is seen once.
  struct TransfersPerUpdate {
    std::uint64_t ofMicroBatches = 1;
    std::uint64_t ofUpdates = 1;
  };
  NpyDump(std::filesystem::path directory, const TransfersPerUpdate &perUpdate);

  // Keeps the transfers of the updates before, if none were dropped.
  void resume(Update firstUpdate) override { firstUpdate_ = firstUpdate; }
  void take(const Tap &, Update, const TensorSample &) override {}
  // Throws std::runtime_error if the file cannot be written to.
  void takeElements(const Tap &tap, Update update, const SampleOrigin &origin,
                    const void *elements, std::size_t bytes) override;
  void flush() override;

private:
  struct File {
    std::filesystem::path path;
    std::fstream stream;
    const Tap *tap;
    std::uint64_t transfers;
  };
  File &fileOf(const Tap &tap);
  static void writeHeader(File &file);
  std::uint64_t transfersToKeep(const std::filesystem::path &path,
                                const Tap &tap) const;

  const std::filesystem::path directory_;
  const TransfersPerUpdate perUpdate_;
  Update firstUpdate_{0};
  std::map<TapId, File> files_;
};

} // namespace popscope::outfeed
