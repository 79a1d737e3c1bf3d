#include "outfeed/sinks/bad_tensor_dump.hpp"

#include "outfeed/sinks/npy_header.hpp"
#include "outfeed/sinks/private_file.hpp"
#include "summary/records/file_sink.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace popscope::outfeed {

namespace fs = std::filesystem;

namespace {

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

BadTensorDump::BadTensorDump(fs::path directory, DumpBudget budget,
                             summary::WriteListener onLoss,
                             summary::Clock clock)
    : directory_(std::move(directory)), budget_(budget),
      onLoss_(std::move(onLoss)), clock_(std::move(clock)) {}

void BadTensorDump::takeDump(const DumpedTensors &dumped) {
  if (isDecided_)
    return;
  std::vector<Kept> &kept = kept_[{tagOf(dumped.bad), dumped.replica}];
  for (const DumpedTensors::Part &part : dumped.parts)
    kept.push_back(
        {part.tensor, {part.elements, part.elements + part.tensor.bytes()}});
}

void BadTensorDump::takeVerdict(const Verdict &verdict) {
  isDecided_ = true;
  std::vector<Kept> kept =
      std::move(kept_[{tagOf(verdict.tensor), verdict.origin.replica}]);
  kept_.clear();
  std::vector<std::string> wanted = verdict.tensor.derivation.inputs;
  wanted.insert(wanted.begin(), verdict.tensor.name);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](const Kept &other) {
          return other.tensor.name == wanted[i];
        });
    // A weight is an input of itself: the one from before is gone.
    if (found == kept.end() || (i != 0 && wanted[i] == wanted[0])) {
      missing_.push_back(wanted[i]);
    } else if (bytes + found->elements.size() > budget_.bytes ||
               unwritten_.size() >= budget_.files) {
      tooMuch_.push_back(wanted[i]);
    } else {
      bytes += found->elements.size();
      std::string name = wanted[i];
      std::replace(name.begin(), name.end(), '/', '.');
      unwritten_.push_back({*found, name + ".npy"});
    }
  }
  writeAll();
}

void BadTensorDump::writeAll() {
  lastTry_ = clock_().seconds();
  std::vector<Unwritten> left;
  for (Unwritten &tensor : unwritten_) {
    if (!write(tensor)) {
      left.push_back(std::move(tensor));
      continue;
    }
    bytes_ += tensor.kept.elements.size();
    written_.push_back(tensor.file);
  }
  unwritten_ = std::move(left);
  if (onLoss_ && !report().isWhole())
    onLoss_(report());
}

// What is written of a file that does not fit is removed.
bool BadTensorDump::write(const Unwritten &tensor) {
  const fs::path file = directory_ / tensor.file;
  std::ofstream out;
  errno = 0; // the stream does not say why it fails
  try {
    fs::create_directories(directory_);
    makePrivate(file);
    out.open(file, std::ios::binary);
  } catch (const std::system_error &error) {
    errno = error.code().value();
    out.setstate(std::ios::failbit);
  }
  const bool isMine = out.is_open();
  out << npyHeader(tensor.kept.tensor.dtype, tensor.kept.tensor.shape);
  out.write(reinterpret_cast<const char *>(tensor.kept.elements.data()),
            std::streamsize(tensor.kept.elements.size()));
  out.close();
  if (out)
    return true;
  if (error_.empty())
    error_ = describe(summary::errorOfErrno(errno));
  std::error_code ignored;
  if (isMine)
    fs::remove(file, ignored);
  return false;
}

void BadTensorDump::flush() {
  const double elapsed = clock_().seconds() - lastTry_;
  // A clock that went backwards must not put it off.
  if (!unwritten_.empty() &&
      (elapsed < 0 || elapsed >= summary::kSecondsToTryAgain))
    writeAll();
}

void BadTensorDump::close(const TapReport &) {
  if (!unwritten_.empty())
    writeAll();
}

summary::WriteReport BadTensorDump::report() const {
  summary::WriteReport report;
  report.what = directory_.string();
  report.error = error_;
  if (!error_.empty() && unwritten_.empty())
    report.error += "; writing went on later";
  report.lostRecords = unwritten_.size();
  for (const Unwritten &tensor : unwritten_)
    report.lostBytes += tensor.kept.elements.size();
  return report;
}

std::string BadTensorDump::line() const {
  if (!isDecided_)
    return "";
  std::string line = written_.empty()
                         ? "nothing was dumped"
                         : "dumped to " + directory_.string() + ": " +
                               listed(written_) + " (" +
                               text::withThousands(double(bytes_)) + " bytes)";
  if (!missing_.empty())
    line += "; no longer there: " + listed(missing_);
  if (!tooMuch_.empty())
    line += "; beyond the budget: " + listed(tooMuch_);
  std::vector<std::string> failed;
  for (const Unwritten &tensor : unwritten_)
    failed.push_back(tensor.file);
  if (!failed.empty())
    line += "; not written: " + listed(failed);
  return line;
}

} // namespace popscope::outfeed
