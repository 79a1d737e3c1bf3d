#include "host/run/manifest_file.hpp"

#include "host/command.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace popscope::host {

namespace {

std::filesystem::path fileOf(const std::filesystem::path &run) {
  return run / "popscope.json";
}

} // namespace

std::string readManifestText(const std::filesystem::path &run) {
  std::ifstream in(fileOf(run));
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    throw BadInput(run.string() +
                   ": no popscope.json; name the directory of a run, such as "
                   "logs/cnn-20260101-120000");
  return text.str();
}

text::JsonValue readManifest(const std::filesystem::path &run) {
  try {
    return text::parseJson(readManifestText(run));
  } catch (const std::invalid_argument &error) {
    throw BadInput(fileOf(run).string() + ": " + error.what());
  }
}

} // namespace popscope::host
