#include "summary/records/line_writer.hpp"

#include "summary/records/file_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace popscope::summary {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPendingBytes = std::size_t(1) << 16;
constexpr int kNone = -1;

// Of the bytes, how many were written, and the errno of what stopped it.
struct Written {
  std::size_t bytes = 0;
  int error = 0;
};

Written writeAll(int descriptor, std::string_view bytes) {
  Written written;
  while (written.bytes < bytes.size()) {
    const ssize_t got = ::write(descriptor, bytes.data() + written.bytes,
                                bytes.size() - written.bytes);
    if (got >= 0) {
      written.bytes += std::size_t(got);
    } else if (errno != EINTR) {
      written.error = errno;
      break;
    }
  }
  return written;
}

// A new file beside `file`, with its permissions; deleted unless it replaces
// it.
class Replacement {
public:
  explicit Replacement(const fs::path &file) : target_(fs::canonical(file)) {
    name_ = target_.string() + ".new-XXXXXX";
    descriptor_ = ::mkstemp(name_.data());
    if (descriptor_ == kNone)
      throw std::system_error(errno, std::generic_category(), name_);
    struct stat status {};
    if (::stat(target_.c_str(), &status) == 0)
      (void)::fchmod(descriptor_, status.st_mode & 0777U);
  }
  ~Replacement() {
    ::close(descriptor_);
    if (!name_.empty())
      ::unlink(name_.c_str());
  }
  Replacement(const Replacement &) = delete;
  Replacement &operator=(const Replacement &) = delete;

  void take(std::string_view bytes) {
    const Written written = writeAll(descriptor_, bytes);
    if (written.error != 0)
      throw std::system_error(written.error, std::generic_category(), name_);
  }
  void replace() {
    fs::rename(name_, target_);
    name_.clear();
  }

private:
  const fs::path target_; // not a link to it
  std::string name_;
  int descriptor_ = kNone;
};

} // namespace

LineWriter::LineWriter(const fs::path &file, Existing existing) {
  open(file, existing);
}

LineWriter::LineWriter(const fs::path &file, const Keep &keep) {
  try {
    keepLines(file, keep);
    open(file, Existing::append);
  } catch (const std::system_error &error) {
    report_.what = file.string();
    report_.error = "cannot be continued: " + error.code().message();
  }
}

void LineWriter::open(const fs::path &file, Existing existing) {
  report_.what = file.string();
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  descriptor_ =
      ::open(file.c_str(),
             existing == Existing::replace ? flags | O_TRUNC : flags, 0666);
  struct stat status {};
  if (descriptor_ == kNone)
    report_.error =
        "cannot be opened: " + std::generic_category().message(errno);
  else
    isFile_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

LineWriter::LineWriter(int descriptor, std::string what)
    : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
  report_.what = std::move(what);
  if (descriptor_ == kNone)
    report_.error = "is closed";
}

LineWriter::~LineWriter() {
  flush();
  if (descriptor_ != kNone)
    ::close(descriptor_);
}

void LineWriter::append(Step step, std::string_view line) {
  pending_ += line;
  pending_ += '\n';
  lines_.push_back({step, pending_.size()});
  if (pending_.size() >= kPendingBytes || descriptor_ == kNone)
    flush();
}

void LineWriter::flush() {
  if (!lines_.empty())
    writePending();
  lines_.clear();
  pending_.clear();
}

void LineWriter::writePending() {
  if (descriptor_ == kNone) {
    fail(SinkError::closed, 0);
    return;
  }
  const Written written = writeAll(descriptor_, pending_);
  struct stat status {};
  // Writing to a file that was deleted succeeds, but nobody will read it.
  if (isFile_ && ::fstat(descriptor_, &status) == 0 && status.st_nlink == 0) {
    fail(SinkError::vanished, 0);
    return;
  }
  if (written.error == 0)
    return;
  const auto firstLost =
      std::find_if(lines_.begin(), lines_.end(),
                   [&](const Line &line) { return line.end > written.bytes; });
  const std::size_t whole =
      firstLost == lines_.begin() ? 0 : (firstLost - 1)->end;
  // If the cut fails, the half line stays; keepLines removes it.
  if (isFile_ && ::fstat(descriptor_, &status) == 0)
    (void)!::ftruncate(descriptor_,
                       status.st_size - off_t(written.bytes - whole));
  fail(errorOfErrno(written.error), whole);
}

void LineWriter::fail(SinkError error, std::size_t written) {
  if (report_.error.empty())
    report_.error = describe(error);
  for (const Line &line : lines_) {
    if (line.end <= written)
      continue;
    if (!report_.firstLost)
      report_.firstLost = line.step;
    ++report_.lostRecords;
  }
  report_.lostBytes += pending_.size() - written;
  if (descriptor_ != kNone)
    ::close(descriptor_);
  descriptor_ = kNone;
}

void keepLines(const fs::path &file, const LineWriter::Keep &keep) {
  const auto isKept = [&](std::istream &in, const std::string &line) {
    return !in.eof() && keep(line);
  };
  std::ifstream in(file, std::ios::binary);
  bool isChanged = false;
  for (std::string line; !isChanged && std::getline(in, line);)
    isChanged = !isKept(in, line);
  if (!isChanged)
    return;
  in.clear();
  in.seekg(0);
  Replacement fresh(file);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    if (isKept(in, line))
      kept += line + '\n';
    if (kept.size() >= kPendingBytes)
      fresh.take(std::exchange(kept, {}));
  }
  if (in.bad())
    throw std::system_error(EIO, std::generic_category(), file.string());
  fresh.take(kept);
  fresh.replace();
}

} // namespace popscope::summary
