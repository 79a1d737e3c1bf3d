// Options that may differ from one load of an engine to the next.
#pragma once

#include <poplar/OptionFlags.hpp>

namespace ipumodel {
struct OptionsAccess;
}

namespace poplar {

class RuntimeOptions {
public:
  RuntimeOptions() = default;
  // Throws invalid_option for an unknown option or a bad value.
  RuntimeOptions(const OptionFlags &flags);

private:
  friend struct ::ipumodel::OptionsAccess;

  OptionFlags flags_;
};

} // namespace poplar
