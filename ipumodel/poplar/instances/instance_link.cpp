#include "poplar/instances/instance_link.hpp"

#include <poplar/exceptions.hpp>

#include <atomic>
#include <dlfcn.h>
#include <string>

namespace ipumodel {

namespace {

constexpr const char *kLibrary = "libpopdist.so";

// Set while libpopdist is loaded.
std::atomic<EngineLinkProvider> &provider() {
  static std::atomic<EngineLinkProvider> theProvider{nullptr};
  return theProvider;
}

// The library stands beside this one; else the loader looks for it.
void loadPopdist() {
  std::string path = kLibrary;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void *>(&setEngineLinkProvider), &info) &&
      info.dli_fname) {
    const std::string here = info.dli_fname;
    path = here.substr(0, here.rfind('/') + 1) + kLibrary;
  }
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) &&
      !dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL))
    throw poplar::link_error(
        std::string("an engine with a slice of the replicas needs ") +
        kLibrary + " to reach the others: " + dlerror());
}

} // namespace

void setEngineLinkProvider(EngineLinkProvider newProvider) {
  provider() = newProvider;
}

std::shared_ptr<InstanceLink> engineLink() {
  if (!provider())
    loadPopdist();
  if (!provider())
    throw poplar::link_error(std::string(kLibrary) +
                             " is not the one of this engine");
  return provider().load()();
}

} // namespace ipumodel
