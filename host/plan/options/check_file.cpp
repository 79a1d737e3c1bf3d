#include "host/plan/options/check_file.hpp"

#include "host/command.hpp"
#include "host/run/text_file.hpp"

#include <stdexcept>

namespace popscope::host {

std::vector<outfeed::PlannedCheck> readChecks(const std::string &file) {
  if (file == "default")
    return outfeed::defaultChecks();
  const std::optional<std::string> text = readText(file);
  if (!text)
    throw BadInput(file + ": cannot be read; --checks takes a file of checks, "
                          "or the word default");
  try {
    return outfeed::parseChecks(*text);
  } catch (const std::invalid_argument &error) {
    throw BadInput(file + ": " + withoutRoom(error.what()));
  }
}

} // namespace popscope::host
