// A directory for one test, removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace popscope::tests {

class TempDir {
public:
  TempDir() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "popscope-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;

  const std::filesystem::path &path() const { return path_; }

  // Writes the bytes and returns the file's full name.
  std::string file(const std::string &name, std::string_view bytes) const {
    const auto full = path_ / name;
    std::ofstream(full, std::ios::binary) << bytes;
    return full.string();
  }

private:
  std::filesystem::path path_;
};

} // namespace popscope::tests
