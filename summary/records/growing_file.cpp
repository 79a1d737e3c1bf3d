#include "summary/records/growing_file.hpp"

#include "summary/records/file_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace popscope::summary {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPendingBytes = std::size_t(1) << 16;
constexpr std::size_t kGatheredBytes = std::size_t(1) << 17;

[[noreturn]] void refuse(const std::string &doing) {
  throw std::runtime_error(doing + ": " +
                           std::generic_category().message(errno));
}

std::string reasonOf(const std::exception &error) {
  const auto *const system = dynamic_cast<const std::system_error *>(&error);
  return system ? system->code().message() : error.what();
}

// Of the bytes, how many were written; errno says what stopped it.
std::size_t writeAll(int descriptor, std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t got =
        ::write(descriptor, bytes.data() + written, bytes.size() - written);
    if (got >= 0)
      written += std::size_t(got);
    else if (errno != EINTR)
      break;
  }
  return written;
}

} // namespace

GrowingFile::Amount::Amount(std::uint64_t records, std::uint64_t bytes,
                            Step step)
    : records(records), bytes(bytes) {
  if (records != 0)
    first = step;
}

void GrowingFile::Amount::add(const Amount &more) {
  records += more.records;
  bytes += more.bytes;
  if (!first || (more.first && *more.first < *first))
    first = more.first;
}

GrowingFile::GrowingFile(fs::path file, GrowingFileOptions options)
    : path_(std::move(file)), options_(std::move(options)),
      what_(path_.string()) {
  lastTry_ = options_.clock().seconds();
  try {
    open();
  } catch (const std::exception &error) {
    fail(error.what());
  }
}

GrowingFile::GrowingFile(int descriptor, std::string what, WriteListener onLoss)
    : options_{false, {}, {}, std::move(onLoss), systemTime},
      descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)),
      what_(std::move(what)) {
  isBegun_ = true;
  if (hasFailed())
    fail("is closed");
}

GrowingFile::~GrowingFile() { close(); }

void GrowingFile::open() {
  if (isBegun_) {
    if (path_.has_parent_path())
      fs::create_directories(path_.parent_path());
  } else if (options_.prepare) {
    try {
      options_.prepare();
    } catch (const std::exception &error) {
      throw std::runtime_error("cannot be continued: " + reasonOf(error));
    }
  }
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  const bool replaces = options_.replaces && !isBegun_;
  const int opened =
      ::open(path_.c_str(), replaces ? flags | O_TRUNC : flags, 0666);
  if (opened == kNoDescriptor)
    refuse("cannot be opened");
  try {
    struct stat status {};
    isFile_ = ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
    std::uint64_t size = isFile_ ? std::uint64_t(status.st_size) : 0;
    if (isBegun_ && isFile_ && size < wholeBytes_)
      forget();
    // What an earlier failure left of a unit, if it could not be cut off then.
    else if (isBegun_ && isFile_ && size > wholeBytes_) {
      if (::ftruncate(opened, off_t(wholeBytes_)) != 0)
        refuse("cannot be continued");
      size = wholeBytes_;
    }
    if (size == 0 && options_.heading) {
      const std::string heading = options_.heading();
      if (writeAll(opened, heading) != heading.size()) {
        const SinkError why = errorOfErrno(errno);
        (void)!::ftruncate(opened, 0);
        throw std::runtime_error(std::string(describe(why)));
      }
      size = heading.size();
    }
    wholeBytes_ = size;
  } catch (...) {
    ::close(opened);
    throw;
  }
  descriptor_ = opened;
  isBegun_ = true;
}

void GrowingFile::tryAgainIfDue() {
  const double elapsed = options_.clock().seconds() - lastTry_;
  // A clock that went backwards must not put it off.
  if (elapsed < 0 || elapsed >= kSecondsToTryAgain)
    tryAgain();
}

void GrowingFile::tryAgain() {
  if (path_.empty() || isClosed_ || (isBegun_ && !isFile_))
    return;
  lastTry_ = options_.clock().seconds();
  try {
    open();
  } catch (const std::exception &) {
    return; // the first error is known
  }
  writePending();
  if (hasFailed())
    return;
  hasGoneOn_ = true;
  isTold_ = false;
  if (options_.onLoss)
    options_.onLoss(report());
}

bool GrowingFile::append(Step step, std::string_view unit,
                         std::uint64_t records) {
  if (hasFailed())
    tryAgainIfDue();
  const bool canGather = !isClosed_ && !path_.empty() &&
                         (isFile_ || !isBegun_) &&
                         pending_.size() + unit.size() <= kGatheredBytes;
  if (hasFailed() && !canGather) {
    if (firstError_.empty())
      firstError_ = describe(SinkError::closed);
    lost_.add({records, unit.size(), step});
    return false;
  }
  pending_ += unit;
  units_.push_back({step, records, pending_.size()});
  if (!hasFailed() && pending_.size() >= kPendingBytes)
    writePending();
  return true;
}

void GrowingFile::flush() {
  if (hasFailed())
    tryAgainIfDue();
  else
    writePending();
}

void GrowingFile::close() {
  if (isClosed_)
    return;
  if (hasFailed())
    tryAgain();
  else
    writePending();
  isClosed_ = true;
  if (!hasFailed())
    ::close(descriptor_);
  descriptor_ = kNoDescriptor;
}

void GrowingFile::writePending() {
  if (units_.empty())
    return;
  const std::size_t written = writeAll(descriptor_, pending_);
  const int error = errno;
  struct stat status {};
  // Writing to a file that was deleted succeeds, but nobody will read it.
  if (isFile_ && ::fstat(descriptor_, &status) == 0 && status.st_nlink == 0) {
    forget();
    fail(std::string(describe(SinkError::vanished)));
    return;
  }
  const bool isWhole = written == pending_.size();
  const auto firstLeft =
      std::find_if(units_.begin(), units_.end(),
                   [&](const Unit &unit) { return unit.end > written; });
  for (auto unit = units_.begin(); unit != firstLeft; ++unit)
    written_.add({unit->records, 0, unit->step});
  const std::size_t whole =
      firstLeft == units_.begin() ? 0 : (firstLeft - 1)->end;
  written_.bytes += whole;
  wholeBytes_ += whole;
  // If the cut fails, the half unit stays until the file is opened again.
  if (isFile_ && !isWhole)
    (void)!::ftruncate(descriptor_, off_t(wholeBytes_));
  pending_.erase(0, whole);
  units_.erase(units_.begin(), firstLeft);
  for (Unit &unit : units_)
    unit.end -= whole;
  if (!isWhole)
    fail(std::string(describe(errorOfErrno(error))));
}

void GrowingFile::forget() {
  lost_.add(std::exchange(written_, {}));
  lost_.add(pendingAmount());
  pending_.clear();
  units_.clear();
  wholeBytes_ = 0;
}

GrowingFile::Amount GrowingFile::pendingAmount() const {
  Amount amount;
  for (const Unit &unit : units_)
    amount.add({unit.records, 0, unit.step});
  amount.bytes = pending_.size();
  return amount;
}

void GrowingFile::fail(const std::string &why) {
  if (descriptor_ != kNoDescriptor)
    ::close(descriptor_);
  descriptor_ = kNoDescriptor;
  lastTry_ = options_.clock().seconds();
  if (firstError_.empty())
    firstError_ = why;
  if (!std::exchange(isTold_, true) && options_.onLoss)
    options_.onLoss(report());
}

WriteReport GrowingFile::report() const {
  Amount lost = lost_;
  if (hasFailed())
    lost.add(pendingAmount());
  WriteReport report;
  report.what = what_;
  report.error = firstError_;
  if (hasGoneOn_)
    report.error += "; writing went on later";
  report.lostRecords = lost.records;
  report.lostBytes = lost.bytes;
  report.firstLost = lost.first;
  return report;
}

} // namespace popscope::summary
