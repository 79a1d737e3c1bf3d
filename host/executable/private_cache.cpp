#include "host/executable/private_cache.hpp"

#include "host/executable/sha256.hpp"
#include "host/run/whole_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

// An entry is the hash of its key and content, in digits, and the content.

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHashLength = 64;

bool isMine(const struct stat &status) {
  return status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool isPrivate(const fs::path &folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         isMine(status);
}

std::string hashOf(const std::string &key, std::string_view content) {
  Sha256 hash;
  hash.add(key);
  hash.add(content);
  return hash.digits();
}

std::string wordsOf(int error) {
  return std::generic_category().message(error);
}

// Reads on until the end or an error, of which errno tells.
bool readAll(int file, std::string &content) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file, buffer, sizeof buffer);
    if (count == 0)
      return true;
    if (count > 0)
      content.append(buffer, std::size_t(count));
    else if (errno != EINTR)
      return false;
  }
}

} // namespace

PrivateCache::PrivateCache(const fs::path &directory)
    : folder_(directory / ("executables-" + std::to_string(::geteuid()))) {}

PrivateCache::Found PrivateCache::find(const std::string &key) const {
  const fs::path path = entry(key);
  const auto refused = [&](const std::string &why) {
    return Found{std::nullopt, path.string() + " is not used: " + why};
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR))
    return {};
  if (file < 0)
    return refused(errno == ELOOP ? "it is a symbolic link" : wordsOf(errno));
  // The file is judged once it is open: its name may lead elsewhere by then.
  struct stat status {};
  const bool mine = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                    isMine(status) && isPrivate(folder_);
  std::string content;
  const bool isRead = mine && readAll(file, content);
  const int error = errno;
  ::close(file);
  if (!mine)
    return refused("somebody else may write it or its folder");
  if (!isRead)
    return refused(wordsOf(error));
  if (content.size() < kHashLength ||
      content.compare(
          0, kHashLength,
          hashOf(key, std::string_view(content).substr(kHashLength))) != 0)
    return refused("it is damaged");
  content.erase(0, kHashLength);
  return {std::move(content), {}};
}

void PrivateCache::store(const std::string &key,
                         std::string_view content) const {
  fs::create_directories(folder_.parent_path());
  ::mkdir(folder_.c_str(), S_IRWXU);
  if (!isPrivate(folder_))
    throw std::system_error(EPERM, std::generic_category(),
                            folder_.string() +
                                ": somebody else may write this folder");
  // Processes that store the same at the same time do not share a file.
  const fs::path path = entry(key);
  fs::path aside = path;
  aside += "." + std::to_string(::getpid());
  replaceFile(aside, hashOf(key, content).append(content));
  fs::permissions(aside, fs::perms::owner_read | fs::perms::owner_write);
  fs::rename(aside, path);
}

} // namespace popscope::host
