#include "outfeed/sinks/sample_log.hpp"

#include "summary/records/file_source.hpp"

#include <exception>
#include <system_error>
#include <utility>

namespace popscope::outfeed {

namespace {

// An update's samples have arrived when those of this many later ones do: the
// folding of samples waits for no more.
constexpr std::uint32_t kUpdatesToWait = 8;

std::string reasonOf(const std::exception &error) {
  const auto *const system = dynamic_cast<const std::system_error *>(&error);
  return system ? system->code().message() : error.what();
}

} // namespace

SampleLog::SampleLog(std::filesystem::path file, summary::WriteListener onLoss,
                     double lossScale)
    : file_(std::move(file)), onLoss_(std::move(onLoss)),
      lossScale_(lossScale) {
  report_.what = file_.string();
}

// Aside, and then in the place of an older file.
void SampleLog::open() {
  isBegun_ = true;
  std::filesystem::path aside = file_;
  aside += ".new";
  try {
    std::filesystem::create_directories(file_.parent_path());
    std::filesystem::remove(aside);
    bytes_ = std::make_unique<summary::FileSink>(aside);
    records_ = std::make_unique<summary::RecordWriter>(*bytes_);
    append(std::string(kSampleLogHeader), Update(0), 0);
    if (resumed_)
      keepEarlier();
    if (!records_)
      return;
    std::filesystem::rename(aside, file_);
  } catch (const std::exception &error) {
    fail(reasonOf(error));
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
  }
}

void SampleLog::keepEarlier() {
  if (!std::filesystem::exists(file_))
    return;
  summary::FileSource source(file_);
  summary::RecordReader earlier(source);
  bool isHeader = true;
  while (records_ && earlier.next() == summary::ReadState::record) {
    const std::string record(earlier.payload());
    if (std::exchange(isHeader, false)) {
      if (record != kSampleLogHeader)
        return;
      continue;
    }
    const std::optional<Update> update = updateOfRecord(record);
    if (update && !(*update < *resumed_))
      return;
    if (!update)
      numbers_.emplace(parseLoggedTensor(record).tag, numbers_.size());
    append(record, Update(0), 0);
  }
}

std::size_t SampleLog::numberOf(const Tap &tap) {
  const auto found = numberOfTap_.find(&tap);
  if (found != numberOfTap_.end())
    return found->second;
  const LoggedTensor tensor = loggedTensor(tap, lossScale_);
  const auto [at, isNew] = numbers_.emplace(tensor.tag, numbers_.size());
  if (isNew)
    append(toJson(tensor), Update(0), 0);
  return numberOfTap_.emplace(&tap, at->second).first->second;
}

void SampleLog::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  if (!isBegun_)
    open();
  if (written_ && update < *written_) {
    if (report_.error.empty())
      report_.error = "samples came too late";
    ++report_.lostRecords;
    return;
  }
  while (!open_.empty() &&
         open_.begin()->first + kUpdatesToWait <= update.value())
    writeFirst();
  const std::size_t number = numberOf(tap);
  Open &open = open_[update.value()];
  if (open.record.empty()) {
    open.record = kUpdateMark;
    appendNumber(open.record, update.value());
  }
  appendNumber(open.record, number);
  appendDigest(open.record, digestOf(sample));
  ++open.samples;
}

void SampleLog::writeFirst() {
  const auto first = open_.begin();
  written_ = Update(first->first);
  append(first->second.record, *written_, first->second.samples);
  open_.erase(first);
}

void SampleLog::append(const std::string &record, Update update,
                       std::uint64_t samples) {
  if (records_) {
    const summary::SinkError error = records_->append(record);
    if (error == summary::SinkError::none) {
      if (unflushed_.samples == 0)
        unflushed_.first = update;
      unflushed_.samples += samples;
      unflushed_.bytes += record.size();
      return;
    }
    fail(std::string(describe(error)));
  }
  lose({samples, record.size(), update});
}

void SampleLog::lose(const Written &written) {
  if (written.samples == 0)
    return;
  report_.lostRecords += written.samples;
  report_.lostBytes += written.bytes;
  if (!report_.firstLost)
    report_.firstLost = summary::Step(written.first.value());
}

// What was flushed by a full buffer may be in the file all the same.
void SampleLog::fail(const std::string &error) {
  records_.reset();
  bytes_.reset();
  report_.error = error;
  lose(std::exchange(unflushed_, {}));
  if (onLoss_)
    onLoss_(report_);
}

void SampleLog::flush() {
  while (!open_.empty())
    writeFirst();
  if (!records_)
    return;
  const summary::SinkError error = records_->flush();
  if (error != summary::SinkError::none)
    fail(std::string(describe(error)));
  unflushed_ = {};
}

void SampleLog::close(const TapReport &) {
  flush();
  if (!bytes_)
    return;
  const summary::SinkError error = bytes_->close();
  if (error != summary::SinkError::none)
    fail(std::string(describe(error)));
}

std::vector<summary::WriteReport> SampleLog::reports() const {
  return {report_};
}

} // namespace popscope::outfeed
