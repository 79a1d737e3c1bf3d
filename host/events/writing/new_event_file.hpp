// The event file that a command writes.
#pragma once

#include "host/events/reading/selection.hpp"
#include "host/events/writing/output_options.hpp"
#include "host/run/output_file.hpp"
#include "summary/records/file_sink.hpp"
#include "summary/records/record_writer.hpp"

#include <cstdint>
#include <string_view>

namespace popscope::host::events {

class NewEventFile {
public:
  // Throws BadInput if TensorBoard would not read a file of that name, or as
  // OutputFile does. `source` is the run whose events the file will hold.
  NewEventFile(const OutputOptions &options, const LogRun &source);

  // Throws std::runtime_error if the file cannot be written.
  void append(std::string_view payload);
  // Completes the file. Without this, nothing of it remains.
  void commit();

  std::uint64_t records() const { return records_; }

private:
  void expectGood(summary::SinkError error) const;

  OutputFile file_;
  summary::FileSink sink_;
  summary::RecordWriter writer_;
  std::uint64_t records_ = 0;
};

} // namespace popscope::host::events
