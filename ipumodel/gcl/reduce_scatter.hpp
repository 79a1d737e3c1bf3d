// Every member gets its part of the combination of the data of all.
#pragma once

#include "gcl/collective.hpp"

#include <algorithm>
#include <utility>

namespace ipumodel {

class ReduceScatter : public Collective {
public:
  ReduceScatter(StepId step, ExchangeStep exchange, NativeOperand out,
                NativeOperand data, ReplicaGroups groups,
                gcl::CollectiveOperator op, poplar::Type type,
                std::size_t count, std::size_t part)
      : Collective(step, std::move(exchange), std::move(out), std::move(data),
                   std::move(groups)),
        op_(op), type_(type), count_(count), part_(part), size_(sizeOf(type)) {}

protected:
  void exchange(ExecutionState &state, std::size_t group) const override {
    for (std::size_t position = 0; position < groups_.size; ++position)
      makePart(state, group, position, [&](std::size_t i) {
        return dataOf(state, group, i) + partOf(position).offset;
      });
  }

  void runWithOthers(ExecutionState &state) const override {
    const unsigned here = state.instances->index();
    if (op_ == gcl::CollectiveOperator::LOCAL) {
      for (std::size_t group = 0; group < groups_.count(); ++group)
        for (const std::size_t position : positionsIn(state, group, here))
          makePart(state, group, position, [&](std::size_t i) {
            return dataOf(state, group, i) + partOf(position).offset;
          });
      return;
    }
    const RemotePieces pieces =
        fetch(state, [&](unsigned replica, unsigned instance) {
          Pieces parts;
          for (const std::size_t position : positionsIn(
                   state, groups_.placeOf(replica) / groups_.size, instance))
            parts.push_back(partOf(position));
          return parts;
        });
    for (std::size_t group = 0; group < groups_.count(); ++group) {
      const auto positions = positionsIn(state, group, here);
      for (std::size_t k = 0; k < positions.size(); ++k)
        makePart(state, group, positions[k], [&](std::size_t i) {
          return pieces.at(groups_.member(group, i), k);
        });
    }
  }

private:
  Piece partOf(std::size_t position) const {
    const std::size_t first = std::min(count_, position * part_);
    return {first * size_, std::min(part_, count_ - first) * size_};
  }
  // `rows` gives the part of each member; of this one only, if nothing is
  // combined.
  template <class Rows>
  void makePart(ExecutionState &state, std::size_t group, std::size_t position,
                Rows &&rows) const {
    const bool isLocal = op_ == gcl::CollectiveOperator::LOCAL;
    const std::size_t bytes = partOf(position).bytes;
    char *const to = outOf(state, group, position);
    combine(
        op_, type_, bytes / size_, isLocal ? 1 : groups_.size,
        [&](std::size_t i) { return rows(isLocal ? position : i); }, 1,
        [&](std::size_t) { return to; }, state.pool);
    std::fill(to + bytes, to + part_ * size_, char(0));
  }

  gcl::CollectiveOperator op_;
  poplar::Type type_;
  std::size_t count_;
  std::size_t part_; // of each member
  std::size_t size_; // of an element
};

} // namespace ipumodel
