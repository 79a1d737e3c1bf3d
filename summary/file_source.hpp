// A file behind ByteSource.
#pragma once

#include "summary/byte_source.hpp"

#include <filesystem>

namespace popscope::summary {

class FileSource final : public ByteSource {
public:
  // Throws std::system_error naming the path if it cannot be opened.
  explicit FileSource(const std::filesystem::path &path);
  ~FileSource() override;
  FileSource(const FileSource &) = delete;
  FileSource &operator=(const FileSource &) = delete;

  std::size_t read(char *to, std::size_t size) override;

private:
  std::filesystem::path path_;
  int descriptor_;
};

} // namespace popscope::summary
