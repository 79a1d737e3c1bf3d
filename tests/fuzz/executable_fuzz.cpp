// An executable of the engine: as it is, and as the content of a file with the
// header and the checksum that belong to it.
#include "poplar/base/content_hash.hpp"
#include "poplar/program/executable_data.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <poplar/exceptions.hpp>

#include <sstream>

using namespace popscope;

namespace {

// Magic and versions, which come before the length of the content.
constexpr std::size_t kStartBytes = 16;

std::string asFile(std::string_view content) {
  static const std::string start = [] {
    ipumodel::ExecutableData smallest;
    smallest.graph.target = poplar::Target::createCPUTarget();
    std::ostringstream out;
    writeExecutable(out, smallest);
    return out.str().substr(0, kStartBytes);
  }();
  const auto number = [](std::uint64_t value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
  };
  const std::string file =
      start + number(content.size()) + std::string(content);
  return file + number(ipumodel::contentHash(file));
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes = fuzz::textOf(data, size);
  for (const std::string &file : {std::string(bytes), asFile(bytes)})
    try {
      std::istringstream in(file);
      const auto executable = ipumodel::readExecutable(in);
      std::ostringstream out;
      writeExecutable(out, *executable);
      ++fuzz::accepted;
    } catch (const poplar::poplar_error &) {
    }
  return 0;
}
