#include "poplar/native_kernel.hpp"

#include <poplar/exceptions.hpp>

#include <map>
#include <stdexcept>

namespace ipumodel {

namespace {

// On first use, since libraries register from their static initialisers.
std::map<std::string, KernelFactory> &registry() {
  static std::map<std::string, KernelFactory> kernels;
  return kernels;
}

} // namespace

bool registerKernel(const char *name, KernelFactory factory) {
  if (!registry().emplace(name, factory).second)
    throw std::logic_error("kernel '" + std::string(name) +
                           "' is registered twice");
  return true;
}

KernelFactory findKernel(const std::string &name) {
  const auto it = registry().find(name);
  if (it == registry().end())
    throw poplar::link_error("no library in this program has the operation '" +
                             name + "'");
  return it->second;
}

} // namespace ipumodel
