#include "poplar/profile/profile_files.hpp"

#include "poplar/profile/profile_graph.hpp"
#include "poplar/system/logging.hpp"
#include "pva/report_file.hpp"

#include <poplar/Graph.hpp>

#include <filesystem>
#include <stdexcept>

namespace ipumodel {

namespace {

std::filesystem::path makeDirectory(const ExecutableData &executable,
                                    const EngineSettings &settings) {
  std::filesystem::path directory = settings.reportDirectory;
  if (!executable.name.empty())
    directory /= executable.name;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw std::runtime_error("cannot make the report directory '" +
                             directory.string() + "': " + error.message());
  return directory;
}

} // namespace

void writeProfileFiles(const ProfiledEngine &engine,
                       ExecutionProfile execution) {
  const ExecutableData &executable = engine.executable;
  const EngineSettings &settings = engine.settings;
  const bool writesProfile =
      settings.outputGraphProfile || settings.outputExecutionProfile;
  if (!writesProfile && !settings.outputDebugInfo)
    return;
  if (executable.graph.target.getTargetType() == poplar::TargetType::CPU ||
      executable.deserialized) {
    log(LogLevel::warn, "no reports are written: the engine has no profile");
    return;
  }
  const std::filesystem::path directory = makeDirectory(executable, settings);
  if (writesProfile)
    writeReport(directory / "profile.pop", gatherProfile(engine, execution));
  if (settings.outputDebugInfo)
    writeDebugContexts(directory / "debug.cbor",
                       gatherDebugContexts(executable));
}

std::string writeGraphProfile(const ExecutableData &executable,
                              const EngineSettings &settings) {
  if (!settings.outputGraphProfile)
    return "";
  profile::Report report;
  report.poplarVersion = poplar::versionString().cloneAsString();
  report.compilation = gatherGraph(executable, estimateComputeSets(executable));
  const auto path = makeDirectory(executable, settings) / "profile.pop";
  writeReport(path, report);
  return path.string();
}

} // namespace ipumodel
