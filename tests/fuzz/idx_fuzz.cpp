// Images and labels in the format of MNIST.
#include "host/command.hpp"
#include "host/data/idx.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/temp_dir.hpp"

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const tests::TempDir directory;
  const std::string file = directory.file("data", fuzz::textOf(data, size));
  for (const unsigned rank : {1, 3})
    try {
      host::readIdx(file, rank);
      ++fuzz::accepted;
    } catch (const host::BadInput &) {
    }
  return 0;
}
