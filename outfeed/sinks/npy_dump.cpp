#include "outfeed/sinks/npy_dump.hpp"

#include "summary/records/file_sink.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace popscope::outfeed {

namespace fs = std::filesystem;

namespace {

constexpr char kWentOn[] = "; writing went on later";

std::string reasonOf(const std::exception &error) {
  const auto *const system = dynamic_cast<const std::system_error *>(&error);
  return system ? system->code().message() : error.what();
}

} // namespace

NpyDump::NpyDump(fs::path directory, summary::WriteListener onLoss,
                 summary::Clock clock)
    : directory_(std::move(directory)), onLoss_(std::move(onLoss)),
      clock_(std::move(clock)) {}

NpyDump::File &NpyDump::fileOf(const Tap &tap) {
  const auto found = files_.find(tap.id);
  if (found != files_.end())
    return found->second;
  std::string name = tagOf(tap.tensor);
  std::replace(name.begin(), name.end(), '/', '.');
  // Only gradients have tags that say the moment.
  for (const auto &[id, other] : files_)
    if (other.npy->path() == directory_ / (name + ".npy"))
      name += std::string(".") + nameOf(tap.tensor.moment);
  File &file = files_[tap.id];
  file.npy =
      std::make_unique<NpyFile>(directory_ / (name + ".npy"), tap.tensor);
  file.tap = &tap;
  file.report.what = file.npy->path().string();
  return file;
}

bool NpyDump::isReady(File &file) {
  if (file.npy->isOpen())
    return true;
  const bool hasFailed = !file.report.error.empty();
  const double now = clock_().seconds();
  // A clock that went backwards must not put it off.
  if (hasFailed && now >= file.lastTry &&
      now - file.lastTry < summary::kSecondsToTryAgain)
    return false;
  file.lastTry = now;
  const std::uint64_t rows = file.npy->rows();
  try {
    if (file.isBegun)
      file.npy->reopen();
    else
      file.npy->open(firstUpdate_);
  } catch (const std::exception &error) {
    fail(file, reasonOf(error));
    return false;
  }
  if (file.isBegun && file.npy->rows() < rows)
    lose(file, rows, *file.firstUpdate);
  file.isBegun = true;
  return true;
}

void NpyDump::fail(File &file, const std::string &why) const {
  file.lastTry = clock_().seconds();
  if (file.report.error.empty())
    file.report.error = why;
}

void NpyDump::lose(File &file, std::uint64_t rows, Update first) const {
  file.report.lostRecords += rows;
  file.report.lostBytes += rows * file.tap->tensor.bytes();
  const summary::Step step(first.value());
  if (!file.report.firstLost || step < *file.report.firstLost)
    file.report.firstLost = step;
  if (onLoss_)
    onLoss_(file.report);
}

void NpyDump::takeElements(const Tap &tap, Update update,
                           const SampleOrigin &origin, const void *elements,
                           std::size_t bytes) {
  File &file = fileOf(tap);
  if (!file.firstUpdate)
    file.firstUpdate = update;
  loseIfGone(file);
  if (!isReady(file)) {
    lose(file, 1, update);
    return;
  }
  const summary::SinkError error = file.npy->append(
      elements, bytes,
      std::to_string(update.value()) + "," + std::to_string(origin.microBatch) +
          "," + std::to_string(origin.replica));
  std::string &why = file.report.error;
  if (error != summary::SinkError::none) {
    fail(file, std::string(describe(error)));
    lose(file, 1, update);
  } else if (!why.empty() && why.find(kWentOn) == std::string::npos) {
    why += kWentOn;
  }
}

void NpyDump::loseIfGone(File &file) const {
  const std::uint64_t rows = file.npy->rows();
  if (!file.npy->isGone())
    return;
  fail(file, std::string(describe(summary::SinkError::vanished)));
  lose(file, rows, *file.firstUpdate);
}

void NpyDump::flush() {
  for (auto &[id, file] : files_)
    loseIfGone(file);
}

std::vector<summary::WriteReport> NpyDump::reports() const {
  std::vector<summary::WriteReport> reports;
  for (const auto &[id, file] : files_)
    reports.push_back(file.report);
  return reports;
}

} // namespace popscope::outfeed
