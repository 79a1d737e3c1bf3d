// What operations between replicas have in common.
#pragma once

#include "gcl/combine.hpp"
#include "gcl/remote_pieces.hpp"
#include "gcl/replica_groups.hpp"
#include "poplar/base/small_vector.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"

#include <algorithm>
#include <utility>

namespace ipumodel {

// Combines rows(0), ..., rows(numRows - 1) and stores the result at to(0), ...,
// to(numCopies - 1).
template <class Rows, class To>
void combine(gcl::CollectiveOperator op, const poplar::Type &type,
             std::size_t count, std::size_t numRows, Rows &&rows,
             std::size_t numCopies, To &&to, ThreadPool &pool) {
  const std::size_t size = sizeOf(type);
  pool.run((count + kCombineBlock - 1) / kCombineBlock, [&](std::size_t task) {
    const std::size_t first = task * kCombineBlock;
    Combiner combiner(op, type, std::min(kCombineBlock, count - first));
    for (std::size_t row = 0; row < numRows; ++row)
      combiner.add(rows(row) + first * size);
    combiner.finish();
    for (std::size_t copy = 0; copy < numCopies; ++copy)
      combiner.store(to(copy) + first * size);
  });
}

// Between the replicas of the groups. An instance that runs some of them makes
// their results from the others' raw data, always in the order of the group:
// the bits do not depend on how replicas are divided among instances.
class Collective : public Instruction {
public:
  Collective(StepId step, ExchangeStep exchange, NativeOperand out,
             NativeOperand data, ReplicaGroups groups)
      : groups_(std::move(groups)), exchange_(std::move(exchange)), step_(step),
        out_(std::move(out)), data_(std::move(data)) {}

  void run(ExecutionState &state) const final {
    state.count(step_);
    for (const Replica &replica : state.replicas)
      data_.load(replica, state.pool);
    if (state.instances && crossesInstances(state)) {
      runWithOthers(state);
    } else {
      for (std::size_t group = 0; group < groups_.count(); ++group)
        if (state.isHere(groups_.member(group, 0)))
          exchange(state, group);
    }
    for (const Replica &replica : state.replicas)
      out_.store(replica, state.pool);
  }

protected:
  // All members of the group are here.
  virtual void exchange(ExecutionState &state, std::size_t group) const = 0;
  virtual void runWithOthers(ExecutionState &state) const = 0;

  const char *dataOf(const ExecutionState &state, std::size_t group,
                     std::size_t position) const {
    return data_.at(state.replicaOf(groups_.member(group, position)));
  }
  char *outOf(const ExecutionState &state, std::size_t group,
              std::size_t position) const {
    return out_.at(state.replicaOf(groups_.member(group, position)));
  }
  // The positions of the members of a group that an instance runs.
  SmallVector<std::size_t, 8> positionsIn(const ExecutionState &state,
                                          std::size_t group,
                                          unsigned instance) const {
    SmallVector<std::size_t, 8> positions;
    for (std::size_t i = 0; i < groups_.size; ++i)
      if (state.instanceOf(groups_.member(group, i)) == instance)
        positions.push_back(i);
    return positions;
  }
  RemotePieces fetch(ExecutionState &state,
                     const RemotePieces::Needed &needed) const {
    return {state, data_, groups_, exchange_, needed};
  }

  const ReplicaGroups groups_;
  const ExchangeStep exchange_;

private:
  bool crossesInstances(const ExecutionState &state) const {
    for (std::size_t i = 0; i < groups_.members.size(); ++i)
      if (state.instanceOf(groups_.members[i]) !=
          state.instanceOf(groups_.members[i / groups_.size * groups_.size]))
        return true;
    return false;
  }

  StepId step_;
  NativeOperand out_;
  NativeOperand data_;
};

} // namespace ipumodel
