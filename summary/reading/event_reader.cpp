#include "summary/reading/event_reader.hpp"

#include "summary/records/event_files.hpp"

namespace popscope::summary {

EventReader::EventReader(const std::filesystem::path &path,
                         std::uint64_t offset)
    : file_(std::make_unique<FileSource>(path, offset)),
      records_(*file_, offset) {}

EventReader::EventReader(ByteSource &source) : records_(source) {}

std::optional<EventView> EventReader::next() {
  if (notAnEvent_)
    return std::nullopt;
  state_ = records_.next();
  return state_ == ReadState::record ? parsePayload() : std::nullopt;
}

std::optional<EventView> EventReader::parsePayload() {
  const auto payload = records_.payload();
  std::optional<EventView> event = EventView::parse(payload);
  if (!event) {
    const MaskedCrc crc = MaskedCrc::of(payload);
    notAnEvent_ = {Damage::Kind::notAnEvent, records_.offset(), payload.size(),
                   crc, crc};
    state_ = ReadState::damaged;
  }
  return event;
}

std::uint64_t EventReader::resync() {
  if (!notAnEvent_)
    return records_.resync();
  const std::uint64_t bytes = notAnEvent_->length + kFrameBytes;
  notAnEvent_.reset();
  return bytes;
}

RunReader::RunReader(std::filesystem::path directory)
    : directory_(std::move(directory)) {}

std::optional<std::filesystem::path> RunReader::fileAfterCurrent() const {
  for (auto &file : eventFilesIn(directory_))
    if (file.filename().native() > current_.filename().native())
      return file;
  return std::nullopt;
}

std::optional<EventView> RunReader::readCurrent() {
  if (!reader_ || currentDamaged_)
    return std::nullopt;
  auto event = reader_->next();
  if (!event && reader_->state() == ReadState::damaged) {
    damages_.push_back({current_, reader_->damage()});
    currentDamaged_ = true;
  }
  return event;
}

std::optional<EventView> RunReader::next() {
  while (true) {
    if (auto event = readCurrent())
      return event;
    const auto following = fileAfterCurrent();
    if (!following)
      return std::nullopt;
    // A writer finishes a file before it begins the next one, so whatever it
    // appended to this one since the last read is there now.
    if (auto event = readCurrent())
      return event;
    current_ = *following;
    reader_ = std::make_unique<EventReader>(current_);
    currentDamaged_ = false;
  }
}

} // namespace popscope::summary
