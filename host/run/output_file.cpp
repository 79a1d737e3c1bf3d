#include "host/run/output_file.hpp"

#include "host/command.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

// The partial files that a signal must remove. A handler can reach nothing but
// a global, and may neither lock nor allocate.
constexpr std::size_t kMostPartials = 16;
std::atomic<const char *> // NOLINTNEXTLINE(*-avoid-non-const-global-variables)
    partials[kMostPartials];

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void removePartialsAndDie(int signal) {
  for (const auto &partial : partials)
    if (const char *const path = partial.load())
      ::unlink(path);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Handlers of others stay: they end the process in their own way, destructors
// included.
void replaceHandler(void (*from)(int), void (*to)(int)) {
  for (const int signal : kSignals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == from) {
      action.sa_handler = to;
      sigaction(signal, &action, nullptr);
    }
  }
}

void removeOnSignal(const char *path) {
  for (auto &partial : partials) {
    const char *none = nullptr;
    if (partial.compare_exchange_strong(none, path))
      break;
  }
  replaceHandler(SIG_DFL, removePartialsAndDie);
}

void keepOnSignal(const char *path) {
  bool isLast = true;
  for (auto &partial : partials) {
    const char *mine = path;
    partial.compare_exchange_strong(mine, nullptr);
    isLast = isLast && partial.load() == nullptr;
  }
  if (isLast)
    replaceHandler(removePartialsAndDie, SIG_DFL);
}

bool isDeviceOrPipe(const fs::path &path) {
  std::error_code missing;
  const fs::file_status status = fs::status(path, missing);
  return fs::exists(status) && !fs::is_regular_file(status) &&
         !fs::is_directory(status);
}

fs::path directoryOf(const fs::path &path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// In the same directory, since a rename does not cross file systems. Without
// "tfevents" in it, which would make TensorBoard read it.
fs::path partialOf(const fs::path &path) {
  static std::atomic<unsigned> count{0};
  return directoryOf(path) / (".popscope-" + std::to_string(::getpid()) + "-" +
                              std::to_string(count++) + ".partial");
}

// A link stays a link: the file it leads to is replaced.
fs::path targetOf(const fs::path &path) {
  std::error_code missing;
  const fs::path target = fs::canonical(path, missing);
  return missing ? path : target;
}

[[noreturn]] void fail(const fs::path &path, int error) {
  throw std::runtime_error(path.string() + ": " + std::strerror(error));
}

} // namespace

void requireWritable(const fs::path &path, IfExists ifExists,
                     const Inputs &inputs) {
  std::error_code error;
  if (fs::is_directory(path, error) || !path.has_filename())
    throw BadInput(path.string() + ": is a directory; name a file");
  for (const fs::path &input : inputs)
    if (fs::equivalent(path, input, error))
      throw BadInput(path.string() +
                     ": is an input of this command; write to another file");
  if (isDeviceOrPipe(path))
    return;
  if (ifExists == IfExists::refuse &&
      fs::exists(fs::symlink_status(path, error)))
    throw BadInput(path.string() + ": exists already; --force replaces it");
  const fs::path directory = directoryOf(targetOf(path));
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    throw BadInput(path.string() + ": cannot be written to " +
                   directory.string() + ": " + std::strerror(errno));
}

OutputFile::OutputFile(fs::path path, IfExists ifExists, const Inputs &inputs)
    : path_(std::move(path)), ifExists_(ifExists) {
  requireWritable(path_, ifExists_, inputs);
  partial_ = isDeviceOrPipe(path_) ? path_ : partialOf(targetOf(path_));
  if (!isDirect())
    removeOnSignal(partial_.c_str());
}

OutputFile::~OutputFile() {
  if (isDirect())
    return;
  ::unlink(partial_.c_str()); // after commit() there is none
  keepOnSignal(partial_.c_str());
}

std::ofstream OutputFile::open() const {
  std::ofstream out(partial_, std::ios::binary);
  if (!out)
    throw BadInput(path_.string() + ": " + std::strerror(errno));
  return out;
}

void OutputFile::requireGood(const std::ostream &out) const {
  if (!out)
    fail(path_, errno);
}

void OutputFile::commit() {
  if (isDirect())
    return;
  const fs::path target = targetOf(path_);
  std::error_code missing;
  const fs::file_status old = fs::status(target, missing);
  if (fs::exists(old))
    fs::permissions(partial_, old.permissions(), missing);
  // Also refuses a file that somebody made in the meantime.
  const unsigned flags = ifExists_ == IfExists::refuse ? RENAME_NOREPLACE : 0;
  int result =
      ::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target.c_str(), flags);
  if (result != 0 && errno == EINVAL) // some file systems take no flags
    result = ::rename(partial_.c_str(), target.c_str());
  if (result != 0)
    fail(path_, errno);
}

void OutputFile::commit(std::ofstream &out) {
  out.close();
  requireGood(out);
  commit();
}

} // namespace popscope::host
