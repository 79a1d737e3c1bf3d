// What the .so file of a backend provides.
#pragma once

#include "poplar/instances/instance_link.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ipumodel {

class Backend {
public:
  Backend() = default;
  Backend(const Backend &) = delete;
  Backend &operator=(const Backend &) = delete;
  virtual ~Backend() = default; // does not finalise

  virtual unsigned numInstances() const = 0;
  virtual unsigned index() const = 0; // of this instance

  // A link between some instances, given in ascending order; its instances are
  // positions in `members`. The name tells links apart. Making one does not
  // communicate, so instances may make them in any order, on any thread.
  virtual std::shared_ptr<InstanceLink>
  link(const std::string &name, const std::vector<unsigned> &members) = 0;

  // May wait for the others. No link is used afterwards.
  virtual void finalize() = 0;
};

// Starts the backend; the name of the function that the file exports. Throws if
// it cannot.
using MakeBackend = Backend *();
constexpr const char *kMakeBackend = "ipumodel_popdist_backend";

} // namespace ipumodel
