#include "poplar/system/shared_object.hpp"

#include <cstdint>
#include <dlfcn.h>
#include <link.h>
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

void *SharedObject::function(const char *name) const {
  void *const address = symbol(name);
  Dl_info place;
  const ElfW(Sym) *entry = nullptr;
  link_map *own = nullptr;
  if (!address ||
      !::dladdr1(address, &place,
                 reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&entry)),
                 RTLD_DL_SYMENT) ||
      ::dlinfo(handle_, RTLD_DI_LINKMAP, &own) != 0)
    return nullptr;
  const bool isOwn = reinterpret_cast<std::uintptr_t>(place.dli_fbase) ==
                     static_cast<std::uintptr_t>(own->l_addr);
  return isOwn && entry && ELF64_ST_TYPE(entry->st_info) == STT_FUNC ? address
                                                                     : nullptr;
}

} // namespace ipumodel
