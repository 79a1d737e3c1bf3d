#include "poplar/system/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ipumodel {

TemporaryDirectory::TemporaryDirectory(const std::string &prefix)
    : path_(std::filesystem::temp_directory_path() / (prefix + "-XXXXXX")) {
  if (!::mkdtemp(path_.data()))
    throw std::system_error(errno, std::generic_category(),
                            "cannot make the directory " + path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace ipumodel
