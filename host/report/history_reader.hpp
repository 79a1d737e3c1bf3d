// The histories of a run's tensors, from its event files.
#pragma once

#include "host/events/writing/replaced_points.hpp"
#include "host/report/tensor_history.hpp"
#include "host/report/update_columns.hpp"
#include "outfeed/rules/tensor_traits.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace popscope::host {

// Reads the event files of a run and those of its flight recorder, finished or
// not. Points that a restart has replaced do not count.
class HistoryReader {
public:
  // `tensors` are those of popscope.json; what is recorded of others is read as
  // well, and their kind guessed.
  HistoryReader(const std::filesystem::path &run,
                std::vector<outfeed::TensorTraits> tensors);

  // First: which updates there are.
  void findUpdates(UpdateColumns &columns);
  // Then: what is recorded of them, tensors in the order of `tensors`.
  std::vector<TensorHistory> read(const UpdateColumns &columns);

  // A line for each damaged file.
  const std::vector<std::string> &damages() const { return damages_; }

private:
  struct Series; // of one tensor, being read
  struct Points {
    events::ReplacedPoints replaced;
    Series *series = nullptr; // in read(), once there is a value
  };
  // The run itself, or its recorder.
  struct Directory {
    std::filesystem::path path;
    std::unordered_map<std::string, Points> points; // by GROUP/NAME
  };

  std::size_t placeOf(const std::string &base) const;
  outfeed::TensorTraits traitsOf(const std::string &base) const;

  const std::vector<outfeed::TensorTraits> tensors_;
  std::unordered_map<std::string, std::size_t> places_; // by GROUP/NAME
  std::vector<Directory> directories_;
  std::vector<std::string> damages_;
};

} // namespace popscope::host
