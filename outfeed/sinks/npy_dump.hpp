// Full tensors as NumPy arrays, one file per tensor, one row per transfer.
#pragma once

#include "outfeed/sinks/npy_file.hpp"
#include "outfeed/sinks/sample_sink.hpp"
#include "summary/types.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// numpy.load opens NAME.npy at any time, even if the program was killed or the
// disk was full: an array [rows, ...shape] of the transfers that are whole, in
// the order of their arrival. NAME is the tensor's tag with '.' for '/'.
// NAME.index.csv says which update, micro-batch and replica each row is of.
//
// A row that cannot be written is lost, which is told to `onLoss` and counted
// in reports(); the file is tried again a second later, and goes on after its
// last whole row. One that was removed begins anew.
class NpyDump : public SampleSink {
public:
  explicit NpyDump(std::filesystem::path directory,
                   summary::WriteListener onLoss = {},
                   summary::Clock clock = summary::systemTime);

  // Keeps the rows of the updates before this one.
  void resume(Update firstUpdate) override { firstUpdate_ = firstUpdate; }
  void take(const Tap &, Update, const TensorSample &) override {}
  void takeElements(const Tap &tap, Update update, const SampleOrigin &origin,
                    const void *elements, std::size_t bytes) override;
  void flush() override;
  std::vector<summary::WriteReport> reports() const override;

private:
  struct File {
    std::unique_ptr<NpyFile> npy;
    const Tap *tap = nullptr;
    bool isBegun = false; // it was open once
    double lastTry = 0;
    // Of this start of the program.
    std::optional<Update> firstUpdate{};
    summary::WriteReport report{};
  };
  File &fileOf(const Tap &tap);
  // Opens it if it is not open, has not failed within the last second, and can
  // be opened.
  bool isReady(File &file);
  void fail(File &file, const std::string &why) const;
  void lose(File &file, std::uint64_t rows, Update first) const;
  void loseIfGone(File &file) const;

  const std::filesystem::path directory_;
  const summary::WriteListener onLoss_;
  const summary::Clock clock_;
  Update firstUpdate_{0};
  std::map<TapId, File> files_;
};

} // namespace popscope::outfeed
