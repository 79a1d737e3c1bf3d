#include "poplar/codelet_cache.hpp"

#include "poplar/content_hash.hpp"
#include "poplar/file_content.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <system_error>

// An entry is the hash of the rest; the hash and the path of each dependency,
// one per line; an empty line; and the archive.

namespace ipumodel {
namespace fs = std::filesystem;
namespace {

std::string hexHash(std::string_view bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, contentHash(bytes));
  return text;
}

constexpr std::size_t kHashLength = 16;

fs::path cacheDirectory() {
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

bool unchanged(const std::string &line) {
  return line.size() > kHashLength &&
         hexHash(readFile(line.substr(kHashLength + 1))) ==
             line.substr(0, kHashLength);
}

} // namespace

CodeletCache::CodeletCache(const std::string &key) {
  const fs::path directory = cacheDirectory();
  if (!directory.empty())
    entry_ = directory / (hexHash(key) + ".codelets");
}

std::optional<std::string> CodeletCache::find() const try {
  if (entry_.empty())
    return {};
  const std::string content = readFile(entry_);
  if (content.size() <= kHashLength ||
      content.substr(0, kHashLength) !=
          hexHash(std::string_view(content).substr(kHashLength + 1)))
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
  std::string content;
  for (const auto &path : dependencies) {
    if (fs::last_write_time(path) >= started ||
        path.find('\n') != std::string::npos)
      return;
    content += hexHash(readFile(path)) + " " + path + "\n";
  }
  content += "\n" + archive;
  fs::create_directories(entry_.parent_path());
  writeFile(entry_, hexHash(content) + "\n" + content);
} catch (const std::system_error &) { // the next run compiles again
}

} // namespace ipumodel
