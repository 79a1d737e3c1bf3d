#include "poplar/codelet/codelet_library.hpp"
#include "poplar/estimate/tile_memory.hpp"
#include "poplar/graph/graph_impl.hpp"
#include "poplar/options/engine_options.hpp"
#include "poplar/profile/profile_files.hpp"
#include "poplar/program/executable_data.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>

namespace poplar {

namespace {

std::vector<std::uint64_t> estimateCycles(const ipumodel::GraphData &graph) {
  std::vector<std::uint64_t> cycles(graph.vertices.size());
  for (std::uint32_t vertex = 0; vertex < cycles.size(); ++vertex)
    cycles[vertex] = ipumodel::estimateVertex(graph, vertex).cycles;
  return cycles;
}

// Stages of a compilation; a progress function is called at the end of each.
enum Stage { kStarted, kChecked, kEstimated, kDone };

// Throws if the graph does not fit, after saving its profile if requested.
void checkFits(const ipumodel::ExecutableData &executable,
               const ipumodel::EngineSettings &settings) {
  try {
    ipumodel::checkTileMemory(executable.graph, settings.allowOutOfMemory);
  } catch (const graph_memory_allocation_error &error) {
    const std::string path = ipumodel::writeGraphProfile(executable, settings);
    if (path.empty())
      throw;
    graph_memory_allocation_error saved(std::string(error.what()) +
                                        ". Profile saved to: " + path);
    saved.profilePath = path;
    throw saved;
  }
}

Executable compile(const Graph &graph, ArrayRef<program::Program> progs,
                   const OptionFlags &options, const ProgressFunc &progress,
                   const DebugContext &debugContext) {
  const auto report = [&](Stage stage) {
    if (progress)
      progress(stage, kDone);
  };
  report(kStarted);
  const ipumodel::GraphData &data = *ipumodel::implOf(graph).data;
  const EngineOptions checked(options, data.target, data.replicationFactor);
  auto executable = std::make_shared<ipumodel::ExecutableData>();
  executable->name = debugContext.getPathName();
  for (const program::Program &prog : progs)
    executable->programs.push_back(prog.getImpl());
  ipumodel::checkGraph(data, executable->programs);
  ipumodel::connectCalls(data.libraries);
  report(kChecked);
  executable->vertexCycles = estimateCycles(data);
  report(kEstimated);
  executable->graph = data;
  executable->options = ipumodel::withoutReplicaSlice(options);
  checkFits(*executable, ipumodel::resolveEngineOptions(options));
  report(kDone);
  return Executable(std::move(executable));
}

} // namespace

Executable::Executable(
    std::shared_ptr<const ipumodel::ExecutableData> executable)
    : executable_(std::move(executable)) {}
Executable::Executable() = default;
Executable::Executable(Executable &&) noexcept = default;
Executable &Executable::operator=(Executable &&) noexcept = default;
Executable::~Executable() = default;

void Executable::serialize(std::ostream &out) const {
  ipumodel::writeExecutable(out, *getImpl());
}

const std::shared_ptr<const ipumodel::ExecutableData> &
Executable::getImpl() const {
  if (!executable_)
    throw poplar_error("this Executable is empty; assign one that "
                       "compileGraph or deserialize returned");
  return executable_;
}

Executable Executable::deserialize(std::istream &in) {
  return Executable(ipumodel::readExecutable(in));
}

Executable Executable::deserialize(std::unique_ptr<std::istream> in) {
  if (!in)
    throw poplar_error("Executable::deserialize: no stream");
  return deserialize(*in);
}

// NOLINTBEGIN(performance-unnecessary-value-param): as Poplar declares them.

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options, ProgressFunc progress,
                        const DebugContext &debugContext) {
  return compile(graph, progs, options, progress, debugContext);
}

Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options, ProgressFunc progress,
                        const DebugContext &debugContext) {
  return compile(graph, progs, options, progress, debugContext);
}

// NOLINTEND(performance-unnecessary-value-param)

} // namespace poplar
