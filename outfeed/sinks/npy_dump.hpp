// Full tensors as NumPy arrays, one file per tensor, one row per transfer.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace popscope::outfeed {

// numpy.load opens NAME.npy, '/' in names being '.', at any time, even if the
// program was killed or the disk was full: an array [rows, ...shape] of the
// transfers that are whole, in the order of their arrival. NAME.index.csv says
// which update, micro-batch and replica each row is of; it has a line for every
// row of the array, and for one more if the program was killed in between.
class NpyDump : public SampleSink {
public:
  explicit NpyDump(std::filesystem::path directory);

  // Keeps the rows of the updates before this one.
  void resume(Update firstUpdate) override { firstUpdate_ = firstUpdate; }
  void take(const Tap &, Update, const TensorSample &) override {}
  // Throws std::runtime_error if a file cannot be written to, or if there are
  // rows of an earlier start without an index.
  void takeElements(const Tap &tap, Update update, const SampleOrigin &origin,
                    const void *elements, std::size_t bytes) override;
  void flush() override;

private:
  struct File {
    std::filesystem::path path;
    std::fstream array;
    std::ofstream index;
    const Tap *tap;
    std::uint64_t rows;
  };
  File &fileOf(const Tap &tap);
  File open(const std::filesystem::path &stem, const Tap &tap) const;
  static void writeHeader(File &file);

  const std::filesystem::path directory_;
  Update firstUpdate_{0};
  std::map<TapId, File> files_;
};

} // namespace popscope::outfeed
