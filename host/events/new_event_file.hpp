// The event file that a command writes.
#pragma once

#include "summary/records/file_sink.hpp"
#include "summary/records/record_writer.hpp"

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace popscope::host::events {

// Adds the required option -o. It must name a file that does not exist and
// that TensorBoard would read.
void addOutputFile(CLI::App &command, std::filesystem::path &path);

class NewEventFile {
public:
  // Throws BadInput if the name is no event file's, or if the file exists or
  // cannot be made.
  explicit NewEventFile(const std::filesystem::path &path);
  // Removes the file if it was not closed: half of it would be taken for all.
  ~NewEventFile();
  NewEventFile(const NewEventFile &) = delete;
  NewEventFile &operator=(const NewEventFile &) = delete;

  // Throws std::runtime_error if the file cannot be written.
  void append(std::string_view payload);
  void close();

  std::uint64_t records() const { return records_; }

private:
  void expectGood(summary::SinkError error) const;

  const std::filesystem::path path_;
  summary::FileSink sink_;
  summary::RecordWriter writer_;
  std::uint64_t records_ = 0;
  bool isClosed_ = false;
};

} // namespace popscope::host::events
