// An archive of codelets: as it is, and with a right checksum.
#include "poplar/base/content_hash.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdlib>
#include <stdexcept>

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string bytes(fuzz::textOf(data, size));
  const std::uint64_t checksum = ipumodel::contentHash(bytes);
  std::string whole = bytes;
  whole.append(reinterpret_cast<const char *>(&checksum), sizeof checksum);
  for (const std::string &file : {bytes, whole})
    try {
      const ipumodel::GpArchive archive = ipumodel::parseGpArchive(file);
      const std::string written = serialise(archive);
      if (serialise(ipumodel::parseGpArchive(written)) != written)
        std::abort();
      ++fuzz::accepted;
    } catch (const std::runtime_error &) {
    }
  return 0;
}
