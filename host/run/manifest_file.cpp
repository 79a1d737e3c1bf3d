#include "host/run/manifest_file.hpp"

#include "host/command.hpp"
#include "host/run/text_file.hpp"

#include <stdexcept>

namespace popscope::host {

text::JsonValue readManifest(const std::filesystem::path &run) {
  const std::filesystem::path file = run / "popscope.json";
  const std::optional<std::string> text = readText(file);
  if (!text)
    throw BadInput(run.string() +
                   ": no popscope.json; name the directory of a run, such as "
                   "logs/cnn-20260101-120000");
  try {
    return text::parseJson(*text);
  } catch (const std::invalid_argument &error) {
    throw BadInput(file.string() + ": " + error.what());
  }
}

} // namespace popscope::host
