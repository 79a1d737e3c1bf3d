#include "gcl/remote_pieces.hpp"

#include <vector>

namespace ipumodel {

RemotePieces::RemotePieces(ExecutionState &state, const NativeOperand &data,
                           const ReplicaGroups &groups,
                           const ExchangeStep &step, const Needed &needed) {
  const auto numReplicas = static_cast<unsigned>(groups.members.size());
  const unsigned here = state.instances->index();
  std::vector<OutgoingBlock> outgoing;
  std::vector<IncomingBlock> incoming;
  std::size_t fetchedBytes = 0;
  for (unsigned replica = 0; replica < numReplicas; ++replica) {
    starts_.push_back(pieces_.size());
    const bool isHere = state.isHere(replica);
    const char *const own =
        isHere ? data.at(state.replicaOf(replica)) : nullptr;
    for (const Piece &piece : needed(replica, here)) {
      pieces_.push_back(isHere ? own + piece.offset : nullptr);
      if (isHere)
        continue;
      incoming.push_back({state.instanceOf(replica), nullptr, piece.bytes});
      fetchedBytes += piece.bytes;
    }
    for (unsigned to = 0; isHere && to < state.instances->numInstances(); ++to)
      if (to != here)
        for (const Piece &piece : needed(replica, to))
          outgoing.push_back({to, own + piece.offset, piece.bytes});
  }

  fetched_.reset(new char[fetchedBytes]);
  char *next = fetched_.get();
  auto block = incoming.begin();
  for (const char *&piece : pieces_)
    if (!piece) {
      block->data = next;
      piece = next;
      next += block->bytes;
      ++block;
    }
  state.instances->exchange(step, outgoing, incoming);
}

} // namespace ipumodel
