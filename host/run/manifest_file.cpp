#include "host/run/manifest_file.hpp"

#include "host/command.hpp"
#include "host/run/text_file.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

namespace popscope::host {

namespace {

std::filesystem::path fileOf(const std::filesystem::path &run) {
  return run / "popscope.json";
}

} // namespace

std::string readManifestText(const std::filesystem::path &run) {
  std::optional<std::string> text = readText(fileOf(run));
  if (!text)
    throw BadInput(run.string() +
                   ": no popscope.json; name the directory of a run, such as "
                   "logs/cnn-20260101-120000");
  return std::move(*text);
}

text::JsonValue readManifest(const std::filesystem::path &run) {
  try {
    return text::parseJson(readManifestText(run));
  } catch (const std::invalid_argument &error) {
    throw BadInput(fileOf(run).string() + ": " + error.what());
  }
}

} // namespace popscope::host
