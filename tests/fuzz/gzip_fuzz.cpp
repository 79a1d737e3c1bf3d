// A file that may be packed, of which no more than asked for is unpacked.
#include "host/command.hpp"
#include "host/data/gzip_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstdlib>

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const tests::TempDir directory;
  const std::string file = directory.file("data", fuzz::textOf(data, size));
  for (const std::size_t most : {16, 1 << 20})
    try {
      if (host::readMaybeGzip(file, most).size() > most)
        std::abort();
      ++fuzz::accepted;
    } catch (const host::BadInput &) {
    }
  return 0;
}
