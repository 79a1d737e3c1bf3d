#include "host/events/writing/new_event_file.hpp"

#include "host/command.hpp"
#include "summary/records/event_files.hpp"

#include <stdexcept>
#include <system_error>

namespace popscope::host::events {

namespace {

std::filesystem::path checked(const std::filesystem::path &path) {
  if (!summary::isEventFileName(path.filename().string()))
    throw BadInput(path.string() +
                   ": TensorBoard reads only files whose names contain "
                   "\"tfevents\"");
  return path;
}

summary::FileSink create(const OutputFile &file) {
  try {
    return summary::FileSink(file.partial());
  } catch (const std::system_error &error) {
    throw BadInput(file.path().string() + ": " + error.code().message());
  }
}

} // namespace

NewEventFile::NewEventFile(const OutputOptions &options, const LogRun &source)
    : file_(checked(options.path), options.ifExists, source.files),
      sink_(create(file_)), writer_(sink_) {}

void NewEventFile::append(std::string_view payload) {
  expectGood(writer_.append(payload));
  ++records_;
}

void NewEventFile::commit() {
  expectGood(writer_.flush());
  expectGood(sink_.close());
  file_.commit();
}

void NewEventFile::expectGood(summary::SinkError error) const {
  if (error != summary::SinkError::none)
    throw std::runtime_error(file_.path().string() + ": " +
                             std::string(summary::describe(error)));
}

} // namespace popscope::host::events
