#include "poplar/copy_instructions.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>

namespace ipumodel {

void CopyInstruction::run(ExecutionState &state) const {
  state.count(step_);
  for (const Replica &replica : state.replicas)
    copy_.run(replica.memory.data(), replica.memory.data(), state.pool);
}

void StagedCopyInstruction::run(ExecutionState &state) const {
  state.count(step_);
  for (const Replica &replica : state.replicas) {
    gather_.run(replica.scratch.data(), replica.memory.data(), state.pool);
    scatter_.run(replica.memory.data(), replica.scratch.data(), state.pool);
  }
}

void CrossReplicaCopyInstruction::run(ExecutionState &state) const {
  state.count(step_);
  for (const Replica &replica : state.replicas)
    gather_.run(replica.scratch.data(), replica.memory.data(), state.pool);
  for (std::size_t r = 0; r < state.replicas.size(); ++r)
    scatter_.run(state.replicas[destinations_[r]].memory.data(),
                 state.replicas[r].scratch.data(), state.pool);
}

void StreamReadInstruction::run(ExecutionState &state) const {
  state.count(step_);
  StreamPort &port = state.streams[stream_];
  for (unsigned r = 0; r < state.replicas.size(); ++r) {
    const void *data = port.beginRead(r);
    scatter_.run(state.replicas[r].memory.data(),
                 static_cast<const char *>(data), state.pool);
    port.endRead(r);
  }
}

void StreamWriteInstruction::run(ExecutionState &state) const {
  state.count(step_);
  StreamPort &port = state.streams[stream_];
  for (unsigned r = 0; r < state.replicas.size(); ++r) {
    gather_.run(static_cast<char *>(port.beginWrite(r)),
                state.replicas[r].memory.data(), state.pool);
    port.endWrite(r);
  }
}

void RemoteCopyInstruction::run(ExecutionState &state) const {
  state.count(step_);
  const RemoteMemory &remote = state.remoteBuffers[buffer_];
  for (std::size_t r = 0; r < state.replicas.size(); ++r) {
    const Replica &replica = state.replicas[r];
    gatherOffsets_.run(replica.scratch.data(), replica.memory.data(),
                       state.pool);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      std::uint32_t row = 0;
      if (!gatherOffsets_.empty())
        std::memcpy(&row, replica.scratch.data() + i * sizeof(row),
                    sizeof(row));
      if (row >= remote.info->repeats)
        throw poplar::application_runtime_error(
            "remote buffer '" + remote.info->handle + "': row " +
            std::to_string(row) + " of only " +
            std::to_string(remote.info->repeats));
      char *host = remote.replicas[r].data() + row * remote.rowBytes;
      if (direction_ == Direction::toDevice)
        rows_[i].run(replica.memory.data(), host, state.pool);
      else
        rows_[i].run(host, replica.memory.data(), state.pool);
    }
  }
}

} // namespace ipumodel
