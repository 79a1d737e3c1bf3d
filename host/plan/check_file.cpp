#include "host/plan/check_file.hpp"

#include "host/command.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace popscope::host {

std::vector<outfeed::PlannedCheck> readChecks(const std::string &file) {
  if (file == "default")
    return outfeed::defaultChecks();
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    throw BadInput(file + ": cannot be read; --checks takes a file of checks, "
                          "or the word default");
  try {
    return outfeed::parseChecks(text.str());
  } catch (const std::invalid_argument &error) {
    throw BadInput(file + ": " + withoutRoom(error.what()));
  }
}

} // namespace popscope::host
