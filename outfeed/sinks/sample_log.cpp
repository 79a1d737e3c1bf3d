#include "outfeed/sinks/sample_log.hpp"

#include "summary/records/file_source.hpp"
#include "summary/records/record_writer.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace popscope::outfeed {

namespace {

// An update's samples have arrived when those of this many later ones do: the
// folding of samples waits for no more.
constexpr std::uint32_t kUpdatesHeld = 8;

} // namespace

SampleLog::SampleLog(std::filesystem::path file, summary::WriteListener onLoss,
                     double lossScale, summary::Clock clock)
    : file_(std::move(file)), onLoss_(std::move(onLoss)), lossScale_(lossScale),
      clock_(std::move(clock)) {
  lost_.what = file_.string();
}

void SampleLog::open() {
  summary::GrowingFileOptions options;
  options.replaces = !resumed_;
  options.prepare = [this] {
    std::filesystem::create_directories(file_.parent_path());
    if (resumed_)
      keepEarlier();
  };
  options.heading = [this] {
    std::string heading = summary::recordOf(kSampleLogHeader);
    for (const std::string &tensor : tensors_)
      heading += summary::recordOf(tensor);
    return heading;
  };
  options.onLoss = onLoss_;
  options.clock = clock_;
  records_ = std::make_unique<summary::GrowingFile>(file_, options);
}

// Aside, and then in the place of the older file.
void SampleLog::keepEarlier() {
  tensors_.clear();
  numbers_.clear();
  if (!std::filesystem::exists(file_))
    return;
  std::filesystem::path aside = file_;
  aside += ".new";
  std::ofstream kept(aside, std::ios::binary | std::ios::trunc);
  summary::FileSource source(file_);
  summary::RecordReader earlier(source);
  bool isHeader = true;
  while (kept && earlier.next() == summary::ReadState::record) {
    const std::string record(earlier.payload());
    if (std::exchange(isHeader, false)) {
      if (record != kSampleLogHeader)
        break;
    } else if (const std::optional<Update> update = updateOfRecord(record)) {
      if (!(*update < *resumed_))
        break;
    } else {
      numbers_.emplace(parseLoggedTensor(record).tag, tensors_.size());
      tensors_.push_back(record);
    }
    kept << summary::recordOf(record);
  }
  kept.close();
  if (!kept) {
    const int why = errno;
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw std::system_error(why, std::generic_category());
  }
  std::filesystem::rename(aside, file_);
}

std::optional<std::size_t> SampleLog::numberOf(const Tap &tap) {
  const auto found = numberOfTap_.find(&tap);
  if (found != numberOfTap_.end())
    return found->second;
  const LoggedTensor tensor = loggedTensor(tap, lossScale_);
  auto known = numbers_.find(tensor.tag);
  if (known == numbers_.end()) {
    if (!records_->append(summary::Step(0), summary::recordOf(toJson(tensor)),
                          0))
      return std::nullopt;
    known = numbers_.emplace(tensor.tag, tensors_.size()).first;
    tensors_.push_back(toJson(tensor));
  }
  return numberOfTap_.emplace(&tap, known->second).first->second;
}

void SampleLog::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  if (!records_)
    open();
  if (written_ && update < *written_) {
    lose("samples came too late", update);
    return;
  }
  while (!open_.empty() &&
         open_.begin()->first + kUpdatesHeld <= update.value())
    writeFirst();
  const std::optional<std::size_t> number = numberOf(tap);
  if (!number) {
    lose(records_->report().error, update);
    return;
  }
  Open &open = open_[update.value()];
  if (open.record.empty()) {
    open.record = kUpdateMark;
    appendNumber(open.record, update.value());
  }
  appendNumber(open.record, *number);
  appendDigest(open.record, digestOf(sample));
  ++open.samples;
}

void SampleLog::writeFirst() {
  const auto first = open_.begin();
  written_ = Update(first->first);
  records_->append(summary::Step(written_->value()),
                   summary::recordOf(first->second.record),
                   first->second.samples);
  open_.erase(first);
}

void SampleLog::lose(const std::string &why, Update update) {
  if (lost_.error.empty())
    lost_.error = why;
  ++lost_.lostRecords;
  if (!lost_.firstLost)
    lost_.firstLost = summary::Step(update.value());
}

void SampleLog::flush() {
  while (!open_.empty())
    writeFirst();
  if (records_)
    records_->flush();
}

void SampleLog::close(const TapReport &) {
  flush();
  if (records_)
    records_->close();
}

std::vector<summary::WriteReport> SampleLog::reports() const {
  summary::WriteReport report =
      records_ ? records_->report() : summary::WriteReport{lost_.what, {}};
  if (report.error.empty())
    report.error = lost_.error;
  report.lostRecords += lost_.lostRecords;
  if (!report.firstLost ||
      (lost_.firstLost && *lost_.firstLost < *report.firstLost))
    report.firstLost = lost_.firstLost;
  return {report};
}

} // namespace popscope::outfeed
