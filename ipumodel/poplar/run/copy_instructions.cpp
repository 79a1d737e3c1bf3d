#include "poplar/run/copy_instructions.hpp"

#include "poplar/base/content_hash.hpp"

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

CrossReplicaCopyInstruction::CrossReplicaCopyInstruction(
    StepId step, const std::string &name, CopyPlan gather, CopyPlan scatter,
    std::size_t bytes, std::vector<std::uint32_t> destinations)
    : step_(step),
      exchange_(
          "CrossReplicaCopy '" + name + "'",
          bytes ^
              contentHash({reinterpret_cast<const char *>(destinations.data()),
                           destinations.size() * sizeof(destinations[0])})),
      bytes_(bytes), gather_(std::move(gather)), scatter_(std::move(scatter)),
      destinations_(std::move(destinations)) {}

// Blocks leave in the order of their sources and are received in the same.
void CrossReplicaCopyInstruction::runWithOthers(ExecutionState &state) const {
  std::vector<OutgoingBlock> outgoing;
  std::vector<IncomingBlock> incoming;
  std::vector<unsigned> receivers;
  for (unsigned from = 0; from < destinations_.size(); ++from) {
    const unsigned to = destinations_[from];
    if (state.isHere(from) && !state.isHere(to))
      outgoing.push_back(
          {state.instanceOf(to), state.replicaOf(from).scratch.data(), bytes_});
    if (!state.isHere(from) && state.isHere(to)) {
      receivers.push_back(to);
      incoming.push_back({state.instanceOf(from), nullptr, bytes_});
    }
  }
  std::vector<char> received(receivers.size() * bytes_);
  for (std::size_t i = 0; i < incoming.size(); ++i)
    incoming[i].data = received.data() + i * bytes_;
  state.instances->exchange(exchange_, outgoing, incoming);
  for (std::size_t i = 0; i < receivers.size(); ++i)
    scatter_.run(state.replicaOf(receivers[i]).memory.data(),
                 received.data() + i * bytes_, state.pool);
}

void CrossReplicaCopyInstruction::run(ExecutionState &state) const {
  state.count(step_);
  for (const Replica &replica : state.replicas)
    gather_.run(replica.scratch.data(), replica.memory.data(), state.pool);
  if (state.instances)
    runWithOthers(state);
  for (unsigned from = state.firstReplica; state.isHere(from); ++from)
    if (state.isHere(destinations_[from]))
      scatter_.run(state.replicaOf(destinations_[from]).memory.data(),
                   state.replicaOf(from).scratch.data(), state.pool);
}

StreamReadInstruction::StreamReadInstruction(StepId step, std::uint32_t stream,
                                             CopyPlan scatter)
    : step_(step), stream_(stream), scatter_(std::move(scatter)),
      place_(scatter_.place()) {
  constexpr auto kAlignment = std::ptrdiff_t(Buffer::kAlignment);
  if (place_ && *place_ % kAlignment != 0)
    place_.reset();
}

void StreamReadInstruction::run(ExecutionState &state) const {
  state.count(step_);
  StreamPort &port = state.streams[stream_];
  for (unsigned r = 0; r < state.replicas.size(); ++r) {
    char *const memory = state.replicas[r].memory.data();
    char *const place = place_ ? memory + *place_ : nullptr;
    const auto *data = static_cast<const char *>(port.beginRead(r, place));
    if (data != place)
      scatter_.run(memory, data, state.pool);
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
