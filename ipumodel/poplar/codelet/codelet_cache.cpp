#include "poplar/codelet/codelet_cache.hpp"

#include "poplar/base/sha256.hpp"
#include "poplar/system/file_content.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

// An entry is the hash of its key and the rest; the hash and the path of each
// dependency, one per line; an empty line; and the archive. What is in it gets
// run: neither the directory nor the entry may be anybody else's to write.

namespace ipumodel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kHashLength = 64;

// Each user has a directory of their own in it.
fs::path sharedDirectory() {
  const auto variable = [](const char *name) -> fs::path {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  if (auto chosen = variable("IPUMODEL_CACHE_DIR"); !chosen.empty())
    return chosen;
  if (const auto caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return caches / "ipumodel";
  if (const auto home = variable("HOME"); !home.empty())
    return home / ".cache/ipumodel";
  return {};
}

bool isMine(const struct stat &status) {
  return status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void requireMine(bool isMine, const fs::path &path) {
  if (!isMine)
    throw std::system_error(EPERM, std::generic_category(), path.string());
}

void requirePrivate(const fs::path &directory) {
  struct stat status {};
  requireMine(::lstat(directory.c_str(), &status) == 0 &&
                  S_ISDIR(status.st_mode) && isMine(status),
              directory);
}

// The file is judged once it is open: its name may lead elsewhere by then.
std::string readMine(const fs::path &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    throw std::system_error(errno, std::generic_category(), path.string());
  struct stat status {};
  const bool mine =
      ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && isMine(status);
  std::string content;
  if (mine)
    content = readFile("/proc/self/fd/" + std::to_string(file));
  ::close(file);
  requireMine(mine, path);
  return content;
}

bool unchanged(const std::string &line) {
  return line.size() > kHashLength &&
         sha256(readFile(line.substr(kHashLength + 1))) ==
             line.substr(0, kHashLength);
}

} // namespace

CodeletCache::CodeletCache(const std::string &key) : key_(sha256(key)) {
  const fs::path shared = sharedDirectory();
  if (!shared.empty())
    entry_ = shared / ("codelets-" + std::to_string(::geteuid())) /
             (key_ + ".codelets");
}

std::optional<std::string> CodeletCache::find() const try {
  if (entry_.empty())
    return {};
  requirePrivate(entry_.parent_path());
  const std::string content = readMine(entry_);
  if (content.size() <= kHashLength ||
      content.substr(0, kHashLength) !=
          sha256(key_ + content.substr(kHashLength)))
    return {};
  std::istringstream stream(content.substr(kHashLength + 1));
  std::string line;
  while (std::getline(stream, line) && !line.empty())
    if (!unchanged(line))
      return {};
  return content.substr(kHashLength + 1 + std::size_t(stream.tellg()));
} catch (const std::system_error &) { // no entry, or a dependency was removed
  return {};
}

void CodeletCache::store(const std::string &archive,
                         const std::vector<std::string> &dependencies,
                         fs::file_time_type started) const try {
  if (entry_.empty())
    return;
  std::string content = "\n";
  for (const auto &path : dependencies) {
    if (fs::last_write_time(path) >= started ||
        path.find('\n') != std::string::npos)
      return;
    content += sha256(readFile(path)) + " " + path + "\n";
  }
  content += "\n" + archive;
  const fs::path directory = entry_.parent_path();
  fs::create_directories(directory.parent_path());
  ::mkdir(directory.c_str(), S_IRWXU);
  requirePrivate(directory);
  writeFile(entry_, sha256(key_ + content) + content);
  fs::permissions(entry_, fs::perms::owner_read | fs::perms::owner_write);
} catch (const std::system_error &) { // the next run compiles again
}

} // namespace ipumodel
