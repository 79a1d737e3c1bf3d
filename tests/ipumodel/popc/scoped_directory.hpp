// A directory of a test's own, with files it writes.
#pragma once

#include "poplar/system/file_content.hpp"
#include "poplar/system/temporary_directory.hpp"

#include <filesystem>

class ScopedDirectory {
public:
  std::string path(const std::string &name) const {
    return directory_.path() + "/" + name;
  }
  std::string write(const std::string &name, const std::string &text) const {
    ipumodel::writeFile(path(name), text);
    return path(name);
  }
  std::string writeProgram(const std::string &name,
                           const std::string &text) const {
    const auto file = write(name, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  std::size_t countFiles() const {
    const std::filesystem::directory_iterator begin(directory_.path()), end;
    return std::size_t(std::distance(begin, end));
  }

private:
  const ipumodel::TemporaryDirectory directory_{"popc-test"};
};
