// A NumPy array that grows by rows, and the index of its rows.
#pragma once

#include "outfeed/rules/tensor_traits.hpp"
#include "outfeed/rules/update_schedule.hpp"
#include "summary/records/byte_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace popscope::outfeed {

// NAME.npy and NAME.index.csv. The header of the array never counts a row that
// the file does not hold; the index has a line for every row, and for one more
// if the program was killed in between.
class NpyFile {
public:
  // `tensor` outlives this.
  NpyFile(std::filesystem::path array, const TensorTraits &tensor);
  ~NpyFile();
  NpyFile(const NpyFile &) = delete;
  NpyFile &operator=(const NpyFile &) = delete;

  const std::filesystem::path &path() const { return path_; }
  std::uint64_t rows() const { return rows_; }

  // Keeps the rows of the updates before this one, or none. Throws
  // std::runtime_error if that or the opening fails; may be called again then.
  void open(Update firstUpdate);
  // After a failure: goes on after the rows that are whole. Throws likewise.
  void reopen();
  bool isOpen() const { return array_ != kNone; }

  // `place` is update, micro-batch and replica. A failure closes the file; no
  // part of the row stays.
  summary::SinkError append(const void *elements, std::size_t bytes,
                            const std::string &place);
  // Whether somebody has removed it; it is closed then, without rows.
  bool isGone();

private:
  static constexpr int kNone = -1;
  struct Kept {
    std::uint64_t rows = 0;
    std::uint64_t indexBytes = 0;
  };

  Kept rowsBefore(Update firstUpdate) const;
  void openAfter(const Kept &kept);
  summary::SinkError write(const void *elements, std::size_t bytes,
                           const std::string &line) const;
  void cut() const;
  void close();

  const std::filesystem::path path_;
  const std::filesystem::path indexPath_;
  const TensorTraits &tensor_;
  const std::size_t bytesPerRow_;
  int array_ = kNone;
  int index_ = kNone;
  std::uint64_t rows_ = 0;
  std::uint64_t indexBytes_ = 0;
};

// Whether the file begins as an array or an index does, or is empty, as a kill
// may leave it.
bool isDumpFile(const std::filesystem::path &file);

} // namespace popscope::outfeed
