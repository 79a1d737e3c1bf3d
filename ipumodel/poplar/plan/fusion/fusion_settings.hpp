// Which fusion passes run.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace ipumodel {

enum class FusionPass {
  chain,         // consecutive operations pass over a batch together
  vertices,      // vertices that read single items join a chain
  columns,       // vertices of single elements run as one loop
  branches,      // across branches that are not taken
  repeat,        // an operation uses what one of the same tensors has made
  epilogue,      // an operation also does what follows it in place
  privateTensor, // what only a chain uses is not stored as a whole
  sum,           // an operation adds what it makes to another tensor
  gate,          // an operation makes only what a gate lets through
  remake,        // what is cheap to make is made again instead of stored
  trim,          // an operation makes only the lines that others read
  copy,          // items are used where they would be copied to or from
  accumulate,    // a product is added to the tensor that an update adds it to
  workspace      // an operation saves work for a later one
};
constexpr std::size_t kNumFusionPasses = 14;
const char *nameOf(FusionPass pass);

// Results are the same with any of them.
class FusionSettings {
public:
  // IPUMODEL_FUSION, as the constructor has it; all if it is not set.
  static FusionSettings ofEnvironment();
  // "1": all passes, "0": none, "-epilogue,-copy": all but those named. Throws
  // invalid_option.
  explicit FusionSettings(const std::string &text);

  bool isOn(FusionPass pass) const {
    return isOn_[static_cast<std::size_t>(pass)];
  }
  // If false, every operation runs separately and every tensor is stored.
  bool isAnyOn() const;

private:
  std::array<bool, kNumFusionPasses> isOn_;
};

} // namespace ipumodel
