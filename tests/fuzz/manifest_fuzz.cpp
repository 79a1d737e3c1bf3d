// popscope.json, and the tensors that it lists.
#include "host/command.hpp"
#include "host/run/manifest_file.hpp"
#include "outfeed/rules/tensor_traits_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/temp_dir.hpp"

#include <stdexcept>

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const tests::TempDir run;
  run.file("popscope.json", fuzz::textOf(data, size));
  text::JsonValue manifest;
  try {
    manifest = host::readManifest(run.path());
    ++fuzz::accepted;
  } catch (const host::BadInput &) {
    return 0;
  }
  for (const text::JsonValue &tensor : manifest["tensors"].items())
    try {
      outfeed::toJson(outfeed::traitsOfJson(tensor));
    } catch (const std::invalid_argument &) {
    }
  return 0;
}
