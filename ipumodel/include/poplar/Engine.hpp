// Compiles a graph and its programs, loads them on a device and runs them.
#pragma once

#include <gccs/ArrayRef.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/exceptions.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace pva {
class Report;
} // namespace pva

namespace ipumodel {
class EngineImpl;
struct EngineAccess;
} // namespace ipumodel

namespace poplar {

using ProgressFunc = std::function<void(int done, int total)>;

class Engine {
public:
  using ProgressFunc = poplar::ProgressFunc;

  Engine(const Graph &graph, ArrayRef<program::Program> progs,
         const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(),
         const DebugContext &debugContext = {});
  Engine(Graph &&graph, ArrayRef<program::Program> progs,
         const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(),
         const DebugContext &debugContext = {});
  Engine(const Graph &graph, program::Program prog,
         const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(),
         const DebugContext &debugContext = {});
  Engine(Graph &&graph, program::Program prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(),
         const DebugContext &debugContext = {});
  Engine(Executable &&executable, const OptionFlags &options = {});
  Engine(const Executable &executable, const OptionFlags &options = {});
  Engine(Engine &&) noexcept;
  Engine &operator=(Engine &&) noexcept;
  ~Engine();

  // prepare binds the engine to a device, deploy resets variables and state to
  // their initial values; load does both.
  void prepare(const Device &device);
  void prepare(const Device &device, const RuntimeOptions &options);
  void deploy();
  void load(const Device &device);
  void run(unsigned prog = 0, const std::string &debugName = "");
  void run(unsigned prog, const std::string &debugName,
           const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned prog = 0);
  // Ends a running program::Loop; may be called from any thread.
  void stop();

  // The byte range must be exactly the tensor's size times the replicas.
  void writeTensor(StringRef handle, const void *begin, const void *end);
  void readTensor(StringRef handle, void *begin, void *end);
  template <class T> void writeTensor(StringRef handle, ArrayRef<T> values) {
    writeTensor(handle, values.data(), values.data() + values.size());
  }
  template <class T>
  void readTensor(StringRef handle, gccs::ArrayRef<T> values) {
    readTensor(handle, values.data(), values.data() + values.size());
  }
  // QUARTER values and the metadata of their tensor. A write applies to all
  // replicas, a read returns the first replica's metadata. Both throw
  // tensor_metadata_error if the tensor has no metadata, writing also if the
  // metadata are constant.
  void writeTensor(StringRef handle, const QuarterMetadata &metadata,
                   const void *begin, const void *end);
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin,
                  void *end);
  // Unchecked forms of SDK 1.x.
  void writeTensor(StringRef handle, const void *begin);
  void readTensor(StringRef handle, void *begin);

  // Every transfer uses the data at `p`; or transfers take [begin, end) piece
  // by piece, starting again at the end.
  void connectStream(StringRef handle, void *p);
  void connectStream(StringRef handle, void *begin, void *end);
  template <class T>
  void connectStream(StringRef handle, const gccs::ArrayRef<T> &values) {
    connectStream(handle, values.data(), values.data() + values.size());
  }
  void connectStream(const DataStream &stream, void *p) {
    connectStream(stream.handle(), p);
  }
  void connectStream(const DataStream &stream, void *begin, void *end) {
    connectStream(stream.handle(), begin, end);
  }
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned replica,
                               StreamCallbackHandle callback);
  void connectStreamToCallback(const DataStream &stream,
                               StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), std::move(callback));
  }
  void connectHostFunction(StringRef handle, unsigned replica,
                           HostCallbackHandle callback);
  void copyToRemoteBuffer(void *src, StringRef handle,
                          std::uint64_t repeatIndex, unsigned replica = 0);
  void copyFromRemoteBuffer(StringRef handle, void *dst,
                            std::uint64_t repeatIndex, unsigned replica = 0);
  // Handles of host accesses: with '+' appended if it writes, '-' if it reads.
  std::vector<std::string> listStreams() const;

  void setPrintStream(std::ostream &stream);
  void setPrintTensorStream(std::ostream &stream);

  void printProfileSummary(std::ostream &os, const OptionFlags &options = {});
  pva::Report getReport(bool reportExecution = true);
#ifdef IPUMODEL_SDK1
  // As in SDK 1: trees of numbers, for serializeToJSON. All are estimates.
  ProfileValue getGraphProfile(const OptionFlags &options = {});
  ProfileValue getExecutionProfile(const OptionFlags &options = {});
#endif
  void resetExecutionProfile();
  void disableExecutionProfiling();
  void enableExecutionProfiling();

  class TimerTimePoint {
  public:
    TimerTimePoint() = default;

  private:
    friend class Engine;
    std::chrono::steady_clock::time_point wall;
    std::uint64_t cycles = 0;
  };
  TimerTimePoint getTimeStamp();
  static std::string reportTiming(const TimerTimePoint &start,
                                  const TimerTimePoint &end);

  OptionFlags getEngineOptions() const;

private:
  friend struct ::ipumodel::EngineAccess;

  std::unique_ptr<ipumodel::EngineImpl> impl_;
};

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options = {},
                        ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options = {},
                        ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});

} // namespace poplar
