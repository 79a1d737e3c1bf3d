// A file of checks.
#include "outfeed/checks/check_plan.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdlib>
#include <stdexcept>

using namespace popscope;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string written;
  try {
    const auto checks = outfeed::parseChecks(fuzz::textOf(data, size));
    outfeed::tapsOf(checks, {});
    written = toJson(checks);
  } catch (const std::invalid_argument &) {
    return 0;
  }
  // What is written is read again, and is then the same.
  if (toJson(outfeed::parseChecks(written)) != written)
    std::abort();
  ++fuzz::accepted;
  return 0;
}
