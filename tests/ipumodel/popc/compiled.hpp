// Codelets of this directory, compiled once per test program.
#pragma once

#include "poplar/codelet/codelet_library.hpp"

#include <gtest/gtest.h>
#include <map>
#include <sstream>

// Fails the test if there is anything to say about the source.
inline const ipumodel::CodeletLibrary &compiled(const std::string &file) {
  static std::map<std::string, ipumodel::CodeletLibrary::Pointer> libraries;
  auto &library = libraries[file];
  if (!library) {
    std::ostringstream output;
    library = ipumodel::CodeletLibrary::compileFile(
        CODELET_DIR "/" + file, "-Wall -Wextra -Wno-unused -Wno-uninitialized",
        output);
    EXPECT_EQ(output.str(), "");
  }
  return *library;
}

inline const ipumodel::abi::VertexType &vertexType(const std::string &file,
                                                   const std::string &name) {
  const auto *type = compiled(file).find(name);
  if (!type)
    throw std::runtime_error(file + " has no vertex " + name);
  return *type;
}
