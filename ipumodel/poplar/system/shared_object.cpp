#include "poplar/system/shared_object.hpp"

#include <dlfcn.h>
#include <stdexcept>

namespace ipumodel {

SharedObject::SharedObject(std::string_view bytes)
    : file_(bytes),
      handle_(::dlopen(file_.path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_)
    throw std::runtime_error(::dlerror());
}

SharedObject::~SharedObject() { ::dlclose(handle_); }

void *SharedObject::symbol(const char *name) const {
  return ::dlsym(handle_, name);
}

} // namespace ipumodel
