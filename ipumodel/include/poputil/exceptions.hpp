// The exception of the operator libraries for wrong use.
#pragma once

#include <stdexcept>
#include <string>

namespace poputil {

struct poplibs_error : std::runtime_error {
  explicit poplibs_error(const std::string &s);
  explicit poplibs_error(const char *s);

  std::string type; // name of the thrown class, without namespace
};

} // namespace poputil
