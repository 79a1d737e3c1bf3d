#include "host/run/manifest_file.hpp"

#include "host/command.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace popscope::host {

text::JsonValue readManifest(const std::filesystem::path &run) {
  const std::filesystem::path file = run / "popscope.json";
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    throw BadInput(run.string() +
                   ": no popscope.json; name the directory of a run, such as "
                   "logs/cnn-20260101-120000");
  try {
    return text::parseJson(text.str());
  } catch (const std::invalid_argument &error) {
    throw BadInput(file.string() + ": " + error.what());
  }
}

} // namespace popscope::host
