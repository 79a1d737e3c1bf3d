// The digits of scikit-learn.
#include "host/command.hpp"
#include "host/data/digits.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/temp_dir.hpp"

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const tests::TempDir directory;
  directory.file("digits.csv", fuzz::textOf(data, size));
  try {
    host::readDigitsDirectory(directory.path().string(), 0);
    ++fuzz::accepted;
  } catch (const host::BadInput &) {
  }
  return 0;
}
