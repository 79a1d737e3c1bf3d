// Archives compiled earlier, on disk, shared between processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ipumodel {

// The place of one compilation in $IPUMODEL_CACHE_DIR, $XDG_CACHE_HOME/ipumodel
// or ~/.cache/ipumodel. A cache that cannot be read or written holds nothing;
// nothing here throws for it.
class CodeletCache {
public:
  // `key`: everything the result depends on, but for the dependencies.
  explicit CodeletCache(const std::string &key);

  // The archive stored last, if it is intact and its dependencies have the
  // content they had. A new file that would now be included in place of another
  // goes unnoticed.
  std::optional<std::string> find() const;

  // `started` is when the compilation began: a dependency changed since may not
  // be the one that was compiled, then nothing is stored.
  void store(const std::string &archive,
             const std::vector<std::string> &dependencies,
             std::filesystem::file_time_type started) const;

private:
  std::filesystem::path entry_; // empty if there is no place
};

} // namespace ipumodel
