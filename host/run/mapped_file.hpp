// A file that is looked at where it is.
#pragma once

#include <filesystem>
#include <string_view>

namespace popscope::host {

// Its bytes take no memory of their own, however long the file says it is: a
// hole of a terabyte costs nothing but time. It must not be cut meanwhile.
class MappedFile {
public:
  // Throws std::system_error with the file's name.
  explicit MappedFile(const std::filesystem::path &file);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return bytes_; }

private:
  std::string_view bytes_;
};

} // namespace popscope::host
