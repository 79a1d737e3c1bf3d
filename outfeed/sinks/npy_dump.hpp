// Full tensors as NumPy arrays, one file per tensor, one row per transfer.
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

// Whether the file begins as those that a dump leaves, or is empty, as a kill
// may leave it.
bool isDumpFile(const std::filesystem::path &file);

// numpy.load opens NAME.npy at any time, even if the program was killed or the
// disk was full: an array [rows, ...shape] of the transfers that are whole, in
// the order of their arrival. NAME is the tensor's tag with '.' for '/'.
// NAME.index.csv says which update, micro-batch and replica each row is of; it
// has a line for every row of the array, and for one more if the program was
// killed in between. A file that cannot be written ends alone: its loss is told
// to `onLoss` and counted in reports().
class NpyDump : public SampleSink {
public:
  explicit NpyDump(std::filesystem::path directory,
                   summary::WriteListener onLoss = {});

  // Keeps the rows of the updates before this one.
  void resume(Update firstUpdate) override { firstUpdate_ = firstUpdate; }
  void take(const Tap &, Update, const TensorSample &) override {}
  void takeElements(const Tap &tap, Update update, const SampleOrigin &origin,
                    const void *elements, std::size_t bytes) override;
  void flush() override;
  std::vector<summary::WriteReport> reports() const override;

private:
  struct File {
    std::filesystem::path path;
    std::fstream array;
    std::ofstream index;
    const Tap *tap = nullptr;
    std::uint64_t rows = 0;
    // Of this start of the program.
    std::optional<Update> firstUpdate{};
    summary::WriteReport report{};
  };
  File &fileOf(const Tap &tap);
  // Throws if a file cannot be opened, or if there are rows of an earlier start
  // without an index.
  void open(File &file) const;
  // False if the disk did not take it. `place` is update, micro-batch, replica.
  static bool append(File &file, const void *elements, std::size_t bytes,
                     const std::string &place);
  static void writeHeader(File &file);

  const std::filesystem::path directory_;
  const summary::WriteListener onLoss_;
  Update firstUpdate_{0};
  std::map<TapId, File> files_;
};

} // namespace popscope::outfeed
