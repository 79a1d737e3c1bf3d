// A checkpoint: as it is, and with a right checksum, which a fuzzer would not
// find.
#include "host/command.hpp"
#include "host/train/state/checkpoint.hpp"
#include "summary/records/crc32c.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/temp_dir.hpp"

using namespace popscope;

namespace {

std::string withChecksum(std::string_view bytes) {
  const std::uint64_t checksum = summary::crc32c(bytes);
  std::string file(bytes);
  file.append(reinterpret_cast<const char *>(&checksum), sizeof checksum);
  return file;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const tests::TempDir directory;
  const std::string_view bytes = fuzz::textOf(data, size);
  for (const std::string &file : {std::string(bytes), withChecksum(bytes)})
    try {
      directory.file("state", file);
      host::readCheckpoint(directory.path());
      ++fuzz::accepted;
    } catch (const host::BadInput &) {
    }
  return 0;
}
