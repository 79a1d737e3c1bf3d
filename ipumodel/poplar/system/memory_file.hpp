// A file that exists only in memory, for uses that need a descriptor or a path.
#pragma once

#include <string>
#include <string_view>

namespace ipumodel {

class MemoryFile {
public:
  // Positioned at its beginning. Throws std::system_error.
  explicit MemoryFile(std::string_view content);
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile();

  int descriptor() const { return descriptor_; }
  std::string path() const; // valid in this process while the file is open

private:
  int descriptor_;
};

} // namespace ipumodel
