// ExecutionState code from memory, loaded into this process.
#pragma once

#include "poplar/memory_file.hpp"

#include <string_view>

namespace ipumodel {

class SharedObject {
public:
  // `bytes` are those of a .so file. Throws std::runtime_error saying why they
  // cannot be loaded.
  explicit SharedObject(std::string_view bytes);
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;
  ~SharedObject();

  // nullptr if there is no such symbol.
  void *symbol(const char *name) const;

private:
  // Stays open while the object is loaded: the loader knows the object by this
  // path, and would take another object at the same path for it.
  MemoryFile file_;
  void *handle_;
};

} // namespace ipumodel
