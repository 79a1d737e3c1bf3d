// Every member gets the data of all, or what each has for it.
#pragma once

#include "gcl/collective.hpp"

#include <algorithm>
#include <utility>

namespace ipumodel {

class Gather : public Collective {
public:
  Gather(StepId step, ExchangeStep exchange, NativeOperand out,
         NativeOperand data, ReplicaGroups groups, Share share,
         std::size_t bytes)
      : Collective(step, std::move(exchange), std::move(out), std::move(data),
                   std::move(groups)),
        share_(share), bytes_(bytes) {}

protected:
  void exchange(ExecutionState &state, std::size_t group) const override {
    const std::size_t size = groups_.size;
    state.pool.run(size * size, [&](std::size_t task) {
      const std::size_t to = task / size, from = task % size;
      std::copy_n(dataOf(state, group, from) + rowFor(to), bytes_,
                  outOf(state, group, to) + from * bytes_);
    });
  }

  void runWithOthers(ExecutionState &state) const override {
    const RemotePieces pieces =
        fetch(state, [&](unsigned replica, unsigned instance) {
          const auto positions = positionsIn(
              state, groups_.placeOf(replica) / groups_.size, instance);
          Pieces rows;
          for (const std::size_t to : positions)
            if (share_ == Share::part || rows.empty())
              rows.push_back({rowFor(to), bytes_});
          return rows;
        });
    const unsigned here = state.instances->index();
    const std::size_t size = groups_.size;
    for (std::size_t group = 0; group < groups_.count(); ++group) {
      const auto positions = positionsIn(state, group, here);
      state.pool.run(positions.size() * size, [&](std::size_t task) {
        const std::size_t k = task / size, from = task % size;
        std::copy_n(pieces.at(groups_.member(group, from),
                              share_ == Share::part ? k : 0),
                    bytes_, outOf(state, group, positions[k]) + from * bytes_);
      });
    }
  }

private:
  std::size_t rowFor(std::size_t position) const { // its offset in the data
    return share_ == Share::part ? position * bytes_ : 0;
  }

  Share share_;
  std::size_t bytes_; // from each member to each
};

} // namespace ipumodel
