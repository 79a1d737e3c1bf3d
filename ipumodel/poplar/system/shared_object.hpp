// Machine code in memory, loaded into this process.
#pragma once

#include "poplar/system/memory_file.hpp"

#include <string_view>

namespace ipumodel {

class SharedObject {
public:
  // `bytes` is the content of a .so file. Throws std::runtime_error with the
  // reason if it cannot be loaded.
  explicit SharedObject(std::string_view bytes);
  SharedObject(const SharedObject &) = delete;
  SharedObject &operator=(const SharedObject &) = delete;
  ~SharedObject();

  // nullptr if there is no such symbol.
  void *symbol(const char *name) const;
  // nullptr if this object, apart from those it depends on, has no such
  // function.
  void *function(const char *name) const;

private:
  // Kept open while the object is loaded: the loader identifies the object by
  // this path, and would take another object at the same path for this one.
  MemoryFile file_;
  void *handle_;
};

} // namespace ipumodel
