// A cache of files whose content gets run, shared between a user's processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace popscope::host {

// Entries are in a folder of the user's own within the directory. Neither the
// folder nor an entry is used if somebody else owns or may write it; each entry
// has the hash of its key and its content.
class PrivateCache {
public:
  explicit PrivateCache(const std::filesystem::path &directory);

  struct Found {
    std::optional<std::string> content;
    std::string problem; // why an entry that is there is not used, or empty
  };
  // `key`: a hash of everything that the content depends on, in digits.
  Found find(const std::string &key) const;

  // Other processes find the whole entry or none. Throws std::system_error.
  void store(const std::string &key, std::string_view content) const;

  std::filesystem::path entry(const std::string &key) const {
    return folder_ / key;
  }

private:
  const std::filesystem::path folder_;
};

} // namespace popscope::host
