#include "poplar/copy_instructions.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>

namespace ipumodel {

void CopyInstruction::run(Machine &machine) const {
  machine.count(step_);
  for (const Replica &replica : machine.replicas)
    copy_.run(replica.memory.data(), replica.memory.data(), machine.pool);
}

void StagedCopyInstruction::run(Machine &machine) const {
  machine.count(step_);
  for (const Replica &replica : machine.replicas) {
    gather_.run(replica.scratch.data(), replica.memory.data(), machine.pool);
    scatter_.run(replica.memory.data(), replica.scratch.data(), machine.pool);
  }
}

void CrossReplicaCopyInstruction::run(Machine &machine) const {
  machine.count(step_);
  for (const Replica &replica : machine.replicas)
    gather_.run(replica.scratch.data(), replica.memory.data(), machine.pool);
  for (std::size_t r = 0; r < machine.replicas.size(); ++r)
    scatter_.run(machine.replicas[destinations_[r]].memory.data(),
                 machine.replicas[r].scratch.data(), machine.pool);
}

void StreamReadInstruction::run(Machine &machine) const {
  machine.count(step_);
  StreamPort &port = machine.streams[stream_];
  for (unsigned r = 0; r < machine.replicas.size(); ++r) {
    const void *data = port.beginRead(r);
    scatter_.run(machine.replicas[r].memory.data(),
                 static_cast<const char *>(data), machine.pool);
    port.endRead(r);
  }
}

void StreamWriteInstruction::run(Machine &machine) const {
  machine.count(step_);
  StreamPort &port = machine.streams[stream_];
  for (unsigned r = 0; r < machine.replicas.size(); ++r) {
    gather_.run(static_cast<char *>(port.beginWrite(r)),
                machine.replicas[r].memory.data(), machine.pool);
    port.endWrite(r);
  }
}

void RemoteCopyInstruction::run(Machine &machine) const {
  machine.count(step_);
  const RemoteMemory &remote = machine.remoteBuffers[buffer_];
  for (std::size_t r = 0; r < machine.replicas.size(); ++r) {
    const Replica &replica = machine.replicas[r];
    gatherOffsets_.run(replica.scratch.data(), replica.memory.data(),
                       machine.pool);
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
        rows_[i].run(replica.memory.data(), host, machine.pool);
      else
        rows_[i].run(host, replica.memory.data(), machine.pool);
    }
  }
}

} // namespace ipumodel
