// A cache of compiled archives on disk, shared between a user's processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ipumodel {

// The entry of one compilation in $IPUMODEL_CACHE_DIR, $XDG_CACHE_HOME/ipumodel
// or ~/.cache/ipumodel, in a directory that only this user can write. A cache
// that cannot be read or written, or that somebody else could have written, is
// treated as empty and never throws.
class CodeletCache {
public:
  // `key`: everything the result depends on, except the dependencies.
  explicit CodeletCache(const std::string &key);

  // The last stored archive, if it is intact and its dependencies have not
  // changed. Does not notice a new file that would now be included instead of
  // one of them.
  std::optional<std::string> find() const;

  // `started` is when the compilation began. Stores nothing if a dependency
  // changed since, because another version may have been compiled.
  void store(const std::string &archive,
             const std::vector<std::string> &dependencies,
             std::filesystem::file_time_type started) const;

private:
  const std::string key_;       // its hash
  std::filesystem::path entry_; // empty if there is no cache directory
};

} // namespace ipumodel
