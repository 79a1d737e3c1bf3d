// A model file.
#include "host/plan/presets/model_file.hpp"
#include "host/plan/presets/preset_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdlib>
#include <stdexcept>

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  host::Preset preset;
  try {
    preset = host::parseModel(fuzz::textOf(data, size));
  } catch (const std::invalid_argument &) {
    return 0;
  }
  // What is written of it, and what a run keeps, is the same training.
  const std::string written = host::presetJson(preset);
  for (const std::string &json : {written, preset.source})
    if (host::presetJson(host::parseModel(json)) != written)
      std::abort();
  ++fuzz::accepted;
  return 0;
}
