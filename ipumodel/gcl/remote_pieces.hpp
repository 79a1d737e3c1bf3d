// Data of group members that other instances run, fetched for one exchange.
#pragma once

#include "gcl/replica_groups.hpp"
#include "poplar/base/small_vector.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplar/run/execution_state.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace ipumodel {

// A range of the bytes of a member's data.
struct Piece {
  std::size_t offset;
  std::size_t bytes;
};

using Pieces = SmallVector<Piece, 4>;

class RemotePieces {
public:
  // Which pieces of a replica's data an instance needs. Must not depend on the
  // instance that asks.
  using Needed = std::function<Pieces(unsigned replica, unsigned instance)>;

  // Sends what others need of the data of this instance's replicas and fetches
  // what this one needs of theirs. The data of its own are not copied.
  RemotePieces(ExecutionState &state, const NativeOperand &,
               const ReplicaGroups &groups, const ExchangeStep &step,
               const Needed &needed);

  // A piece that this instance needs, by its position in the list.
  const char *at(unsigned replica, std::size_t piece) const {
    return pieces_[starts_[replica] + piece];
  }

private:
  std::unique_ptr<char[]> fetched_;
  SmallVector<const char *, 8> pieces_;
  SmallVector<std::size_t, 8> starts_; // the first piece of a replica
};

} // namespace ipumodel
