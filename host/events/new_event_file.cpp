#include "host/events/new_event_file.hpp"

#include "host/command.hpp"
#include "summary/records/event_files.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <system_error>

namespace popscope::host::events {

namespace {

summary::FileSink create(const std::filesystem::path &path) {
  if (!summary::isEventFileName(path.filename().string()))
    throw BadInput(path.string() +
                   ": TensorBoard reads only files whose names contain "
                   "\"tfevents\"");
  try {
    return summary::FileSink(path);
  } catch (const std::system_error &error) {
    throw BadInput(path.string() + ": " + error.code().message());
  }
}

} // namespace

void addOutputFile(CLI::App &command, std::filesystem::path &path) {
  command.add_option("-o,--output", path, "The event file to make")
      ->type_name("FILE")
      ->required();
}

NewEventFile::NewEventFile(const std::filesystem::path &path)
    : path_(path), sink_(create(path)), writer_(sink_) {}

NewEventFile::~NewEventFile() {
  std::error_code vanished;
  if (!isClosed_)
    std::filesystem::remove(path_, vanished);
}

void NewEventFile::append(std::string_view payload) {
  expectGood(writer_.append(payload));
  ++records_;
}

void NewEventFile::close() {
  expectGood(writer_.flush());
  expectGood(sink_.close());
  isClosed_ = true;
}

void NewEventFile::expectGood(summary::SinkError error) const {
  if (error != summary::SinkError::none)
    throw std::runtime_error(path_.string() + ": " +
                             std::string(summary::describe(error)));
}

} // namespace popscope::host::events
