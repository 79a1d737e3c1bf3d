#include "poplar/plan/fusion/fusion_settings.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace ipumodel {

namespace {

constexpr const char *kNames[kNumFusionPasses] = {
    "chain",    "vertices", "columns",    "branches", "repeat",
    "epilogue", "private",  "sum",        "gate",     "remake",
    "trim",     "copy",     "accumulate", "workspace"};

[[noreturn]] void refuse(const std::string &text) {
  std::string names;
  for (const char *name : kNames)
    names += std::string(names.empty() ? "-" : ", -") + name;
  throw poplar::invalid_option("IPUMODEL_FUSION is '" + text +
                               "'; give 0, 1 or passes to leave out, of " +
                               names);
}

} // namespace

const char *nameOf(FusionPass pass) {
  return kNames[static_cast<std::size_t>(pass)];
}

FusionSettings FusionSettings::ofEnvironment() {
  const char *text = std::getenv("IPUMODEL_FUSION");
  return FusionSettings(text ? text : "1");
}

FusionSettings::FusionSettings(const std::string &text) {
  isOn_.fill(text != "0");
  if (text == "0" || text == "1")
    return;
  if (text.empty() || text.back() == ',')
    refuse(text);
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) {
    const auto found = std::find_if(
        std::begin(kNames), std::end(kNames),
        [&](const char *known) { return name == std::string("-") + known; });
    if (found == std::end(kNames))
      refuse(text);
    isOn_[static_cast<std::size_t>(found - std::begin(kNames))] = false;
  }
}

bool FusionSettings::isAnyOn() const {
  return std::any_of(isOn_.begin(), isOn_.end(), [](bool on) { return on; });
}

} // namespace ipumodel
