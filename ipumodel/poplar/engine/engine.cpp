#include "poplar/engine/engine_access.hpp"
#include "poplar/engine/engine_impl.hpp"

#include <poplar/Engine.hpp>

#include <cstring>
#include <iomanip>
#include <sstream>

namespace poplar {

using ipumodel::EngineImpl;

Engine::Engine(const Graph &graph, ArrayRef<program::Program> progs,
               const OptionFlags &options, ProgressFunc progress,
               const DebugContext &debugContext)
    : Engine(compileGraph(graph, progs, options, std::move(progress),
                          debugContext),
             options) {}

Engine::Engine(Graph &&graph, ArrayRef<program::Program> progs,
               const OptionFlags &options, ProgressFunc progress,
               const DebugContext &debugContext)
    : Engine(compileGraph(std::move(graph), progs, options, std::move(progress),
                          debugContext),
             options) {}

Engine::Engine(const Graph &graph, program::Program prog,
               const OptionFlags &options, ProgressFunc progress,
               const DebugContext &debugContext)
    : Engine(graph, ArrayRef<program::Program>(&prog, 1), options,
             std::move(progress), debugContext) {}

Engine::Engine(Graph &&graph, program::Program prog, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &debugContext)
    : Engine(std::move(graph), ArrayRef<program::Program>(&prog, 1), options,
             std::move(progress), debugContext) {}

Engine::Engine(Executable &&executable, const OptionFlags &options)
    : Engine(static_cast<const Executable &>(executable), options) {}

Engine::Engine(const Executable &executable, const OptionFlags &options)
    : impl_(new EngineImpl(executable.getImpl(), options)) {}

Engine::Engine(Engine &&) noexcept = default;
Engine &Engine::operator=(Engine &&) noexcept = default;
Engine::~Engine() = default;

void Engine::prepare(const Device &device) { prepare(device, {}); }

void Engine::prepare(const Device &device, const RuntimeOptions &options) {
  impl_->apply(ipumodel::resolveRuntimeOptions(impl_->settings(), options));
  impl_->prepare(device);
}

void Engine::deploy() { impl_->deploy(); }

void Engine::load(const Device &device) {
  prepare(device);
  impl_->deploy();
}

void Engine::run(unsigned prog, const std::string &debugName) {
  impl_->run(prog, debugName);
}

void Engine::run(unsigned prog, const std::string &debugName,
                 const RuntimeOptions &options) {
  impl_->apply(ipumodel::resolveRuntimeOptions(impl_->settings(), options));
  impl_->run(prog, debugName);
}

void Engine::loadAndRun(const Device &device, unsigned prog) {
  load(device);
  run(prog);
}

void Engine::stop() { impl_->state().stopRequested = true; }

void Engine::writeTensor(StringRef handle, const void *begin, const void *end) {
  impl_->writeTensor(handle, static_cast<const char *>(begin),
                     static_cast<const char *>(end));
}

void Engine::readTensor(StringRef handle, void *begin, void *end) {
  impl_->readTensor(handle, static_cast<char *>(begin),
                    static_cast<char *>(end));
}

void Engine::writeTensor(StringRef handle, const QuarterMetadata &metadata,
                         const void *begin, const void *end) {
  impl_->writeMetadata(handle, metadata);
  writeTensor(handle, begin, end);
}

void Engine::readTensor(StringRef handle, QuarterMetadata &metadata,
                        void *begin, void *end) {
  metadata = impl_->readMetadata(handle);
  readTensor(handle, begin, end);
}

void Engine::writeTensor(StringRef handle, const void *begin) {
  const char *first = static_cast<const char *>(begin);
  impl_->writeTensor(handle, first, first + impl_->hostWriteBytes(handle));
}

void Engine::readTensor(StringRef handle, void *begin) {
  char *first = static_cast<char *>(begin);
  impl_->readTensor(handle, first, first + impl_->hostReadBytes(handle));
}

void Engine::connectStream(StringRef handle, void *p) {
  impl_->stream(handle).connect(p);
}

void Engine::connectStream(StringRef handle, void *begin, void *end) {
  impl_->stream(handle).connect(begin, end);
}

void Engine::connectStreamToCallback(StringRef handle,
                                     StreamCallbackHandle callback) {
  impl_->stream(handle).connect(callback.extract());
}

void Engine::connectStreamToCallback(StringRef handle, unsigned replica,
                                     StreamCallbackHandle callback) {
  impl_->stream(handle).connect(replica, callback.extract());
}

void Engine::connectHostFunction(StringRef handle, unsigned replica,
                                 HostCallbackHandle callback) {
  impl_->connectHostFunction(handle, replica, callback.extract());
}

void Engine::copyToRemoteBuffer(void *src, StringRef handle,
                                std::uint64_t repeatIndex, unsigned replica) {
  std::memcpy(impl_->remoteRow(handle, repeatIndex, replica), src,
              impl_->remoteRowBytes(handle));
}

void Engine::copyFromRemoteBuffer(StringRef handle, void *dst,
                                  std::uint64_t repeatIndex, unsigned replica) {
  std::memcpy(dst, impl_->remoteRow(handle, repeatIndex, replica),
              impl_->remoteRowBytes(handle));
}

std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> handles;
  const ipumodel::GraphData &graph = impl_->executable().graph;
  for (const ipumodel::HostAccess &access : graph.hostWrites)
    handles.push_back(access.handle + '+');
  for (const ipumodel::HostAccess &access : graph.hostReads)
    handles.push_back(access.handle + '-');
  for (const auto &stream : graph.streams)
    handles.push_back(stream->handle +
                      (isHostToDevice(stream->direction) ? '+' : '-'));
  return handles;
}

void Engine::setPrintStream(std::ostream &stream) {
  impl_->state().printStream = &stream;
}

void Engine::setPrintTensorStream(std::ostream &stream) {
  impl_->state().printTensorStream = &stream;
}

Engine::TimerTimePoint Engine::getTimeStamp() {
  TimerTimePoint point;
  point.wall = std::chrono::steady_clock::now();
  point.cycles = impl_->state().cycles;
  return point;
}

std::string Engine::reportTiming(const TimerTimePoint &start,
                                 const TimerTimePoint &end) {
  const std::chrono::duration<double> wall = end.wall - start.wall;
  std::ostringstream text;
  text << "Wall clock: " << std::fixed << std::setprecision(6) << wall.count()
       << " s, device: " << end.cycles - start.cycles << " estimated cycles";
  return text.str();
}

OptionFlags Engine::getEngineOptions() const { return impl_->settings().flags; }

} // namespace poplar

namespace ipumodel {

void EngineAccess::startTogether(poplar::Engine &engine, unsigned program,
                                 const std::string &name) {
  engine.impl_->startTogether(program, name);
}

} // namespace ipumodel
