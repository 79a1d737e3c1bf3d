// A directory that is removed with its content on destruction.
#pragma once

#include <string>

namespace ipumodel {

class TemporaryDirectory {
public:
  // In $TMPDIR or /tmp, its name starting with `prefix`. Throws
  // std::system_error.
  explicit TemporaryDirectory(const std::string &prefix);
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory();

  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace ipumodel
