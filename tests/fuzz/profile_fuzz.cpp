// profile.pop and debug.cbor.
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/temp_dir.hpp"

#include <pva/pva.hpp>

#include <stdexcept>

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const tests::TempDir directory;
  const std::string file = directory.file("report", fuzz::textOf(data, size));
  for (const std::string &debug : {std::string(), file})
    try {
      pva::openReport(file, debug);
      ++fuzz::accepted;
    } catch (const std::runtime_error &) {
    }
  return 0;
}
