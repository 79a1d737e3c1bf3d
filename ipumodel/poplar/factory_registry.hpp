// Factories by name, registered while libraries load.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

namespace ipumodel {

template <class Factory> class FactoryRegistry {
public:
  explicit FactoryRegistry(const char *kind) : kind_(kind) {}

  bool add(const std::string &name, Factory factory) {
    if (!factories_.emplace(name, factory).second)
      throw std::logic_error(std::string(kind_) + " '" + name +
                             "' is registered twice");
    return true;
  }
  // Null if there is none.
  Factory find(const std::string &name) const {
    const auto it = factories_.find(name);
    return it == factories_.end() ? nullptr : it->second;
  }

private:
  const char *kind_;
  std::map<std::string, Factory> factories_;
};

} // namespace ipumodel
