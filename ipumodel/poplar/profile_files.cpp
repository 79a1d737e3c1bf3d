#include "poplar/profile_files.hpp"

#include "poplar/logging.hpp"
#include "poplar/profile_graph.hpp"
#include "pva/report_file.hpp"

#include <poplar/Graph.hpp>

#include <filesystem>
#include <stdexcept>

namespace ipumodel {

namespace {

std::filesystem::path makeDirectory(const Image &image,
                                    const EngineSettings &settings) {
  std::filesystem::path directory = settings.reportDirectory;
  if (!image.name.empty())
    directory /= image.name;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw std::runtime_error("cannot make the report directory '" +
                             directory.string() + "': " + error.message());
  return directory;
}

} // namespace

void writeProfileFiles(const EngineImpl &engine, ExecutionProfile execution) {
  const Image &image = engine.image();
  const EngineSettings &settings = engine.settings();
  const bool writesProfile =
      settings.outputGraphProfile || settings.outputExecutionProfile;
  if (!writesProfile && !settings.outputDebugInfo)
    return;
  if (image.graph.target.getTargetType() == poplar::TargetType::CPU ||
      image.deserialized) {
    log(LogLevel::warn, "no reports are written: the engine has no profile");
    return;
  }
  const std::filesystem::path directory = makeDirectory(image, settings);
  if (writesProfile)
    writeReport(directory / "profile.pop", gatherProfile(engine, execution));
  if (settings.outputDebugInfo)
    writeDebugContexts(directory / "debug.cbor", gatherDebugContexts(image));
}

std::string writeGraphProfile(const Image &image,
                              const EngineSettings &settings) {
  if (!settings.outputGraphProfile)
    return "";
  profile::Report report;
  report.poplarVersion = poplar::versionString().cloneAsString();
  report.compilation = gatherGraph(image, estimateComputeSets(image));
  const auto path = makeDirectory(image, settings) / "profile.pop";
  writeReport(path, report);
  return path.string();
}

} // namespace ipumodel
