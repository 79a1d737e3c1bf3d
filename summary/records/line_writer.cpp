#include "summary/records/line_writer.hpp"

#include "summary/records/file_sink.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace popscope::summary {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = std::size_t(1) << 16;

GrowingFileOptions fileOptions(const LineWriter::Options &options,
                               bool replaces, std::function<void()> prepare) {
  GrowingFileOptions file;
  file.replaces = replaces;
  file.prepare = std::move(prepare);
  if (!options.heading.empty())
    file.heading = [heading = options.heading + '\n'] { return heading; };
  file.onLoss = options.onLoss;
  file.clock = options.clock;
  return file;
}

// A new file beside `file`, with its permissions; deleted unless it replaces
// it.
class Replacement {
public:
  explicit Replacement(const fs::path &file) : target_(fs::canonical(file)) {
    name_ = target_.string() + ".new-XXXXXX";
    descriptor_ = ::mkstemp(name_.data());
    if (descriptor_ == kNoDescriptor)
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
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written >= 0)
        bytes.remove_prefix(std::size_t(written));
      else if (errno != EINTR)
        throw std::system_error(errno, std::generic_category(), name_);
    }
  }
  void replace() {
    fs::rename(name_, target_);
    name_.clear();
  }

private:
  const fs::path target_; // not a link to it
  std::string name_;
  int descriptor_ = kNoDescriptor;
};

} // namespace

LineWriter::LineWriter(const fs::path &file, Existing existing,
                       const Options &options)
    : file_(file, fileOptions(options, existing == Existing::replace, {})) {}

LineWriter::LineWriter(const fs::path &file, const Keep &keep,
                       const Options &options)
    : file_(file, fileOptions(options, false, [=] { keepLines(file, keep); })) {
}

LineWriter::LineWriter(int descriptor, std::string what, WriteListener onLoss)
    : file_(descriptor, std::move(what), std::move(onLoss)) {}

void LineWriter::append(Step step, std::string_view line) {
  file_.append(step, std::string(line) + '\n');
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
    if (kept.size() >= kPieceBytes) {
      fresh.take(kept);
      kept.clear();
    }
  }
  if (in.bad())
    throw std::system_error(EIO, std::generic_category(), file.string());
  fresh.take(kept);
  fresh.replace();
}

} // namespace popscope::summary
