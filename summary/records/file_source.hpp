// Implements ByteSource with a file.
#pragma once

#include "summary/records/byte_source.hpp"

#include <cstdint>
#include <filesystem>

namespace popscope::summary {

class FileSource final : public ByteSource {
public:
  // Reads from `offset`. Throws std::system_error naming the path if the file
  // cannot be opened or positioned there.
  explicit FileSource(const std::filesystem::path &path,
                      std::uint64_t offset = 0);
  ~FileSource() override;
  FileSource(const FileSource &) = delete;
  FileSource &operator=(const FileSource &) = delete;

  [[nodiscard]] std::size_t read(char *to, std::size_t size) override;

private:
  std::filesystem::path path_;
  int descriptor_;
};

} // namespace popscope::summary
