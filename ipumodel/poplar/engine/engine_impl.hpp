// The implementation of an Engine: the compiled plan and its execution state.
#pragma once

#include "poplar/options/engine_options.hpp"
#include "poplar/plan/plan_builder.hpp"
#include "poplar/profile/profile.hpp"
#include "poplar/program/executable_data.hpp"
#include "poplar/run/execution_state.hpp"

#include <poplar/Device.hpp>
#include <poplar/StreamCallback.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ipumodel {

class EngineImpl {
public:
  EngineImpl(std::shared_ptr<const ExecutableData> executable,
             const poplar::OptionFlags &options);
  // Writes the requested reports.
  ~EngineImpl();

  void prepare(const poplar::Device &device);
  void deploy();
  void run(unsigned program, const std::string &name);
  // Waits until all instances are about to run this program.
  void startTogether(unsigned program, const std::string &name);
  // The options of one load or run. They may not choose other replicas.
  void apply(const RuntimeSettings &settings);
  void resetExecutionProfile();

  void writeTensor(const std::string &handle, const char *begin,
                   const char *end);
  void readTensor(const std::string &handle, char *begin, char *end);
  void writeMetadata(const std::string &handle,
                     const poplar::QuarterMetadata &metadata);
  poplar::QuarterMetadata readMetadata(const std::string &handle);
  // Size of the tensor with this handle, for all replicas of this engine.
  std::size_t hostWriteBytes(const std::string &handle) const;
  std::size_t hostReadBytes(const std::string &handle) const;

  StreamPort &stream(const std::string &handle);
  void connectHostFunction(const std::string &handle, unsigned replica,
                           std::unique_ptr<poplar::HostCallback> callback);
  // The address of a row of a remote buffer.
  char *remoteRow(const std::string &handle, std::uint64_t row,
                  unsigned replica);
  std::size_t remoteRowBytes(const std::string &handle) const;

  const ExecutableData &executable() const { return *executable_; }
  const EngineSettings &settings() const { return settings_; }
  ExecutionState &state() { return state_; }
  ProfiledEngine profiled() const {
    return {*executable_, plan_, settings_, state_, trace_};
  }

private:
  struct HostTensor {
    std::size_t bytes; // per replica
    CopyPlan copy;
    std::optional<CopyPlan>
        metadata; // if the tensor has metadata that can be accessed
  };
  using HostTensors = std::map<std::string, HostTensor>;

  void requireDeployed(const char *action) const;
  void requireProgram(unsigned program) const;
  void connectInstances();
  void clearWorkspaces();
  const HostTensor &findHostTensor(const HostTensors &tensors,
                                   const std::string &handle,
                                   const char *creator) const;
  void initialise(unsigned replica);

  std::shared_ptr<const ExecutableData> executable_;
  EngineSettings settings_;
  ReplicaSlice slice_;
  Plan plan_;
  ExecutionState state_;
  std::optional<StepTrace> trace_;
  std::optional<StepTimes> times_;
  HostTensors hostReads_;
  HostTensors hostWrites_;
  std::vector<CopyPlan> initialValues_; // in the order of the graph
  std::map<std::string, std::uint32_t> streams_, remoteBuffers_, functions_;
  bool prepared_ = false;
  bool deployed_ = false;
};

} // namespace ipumodel
