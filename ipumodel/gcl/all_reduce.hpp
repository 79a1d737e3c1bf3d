// Every member gets the combination of the data of all.
#pragma once

#include "gcl/collective.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ipumodel {

class AllReduce : public Collective {
public:
  AllReduce(StepId step, ExchangeStep exchange, NativeOperand out,
            NativeOperand data, ReplicaGroups groups,
            gcl::CollectiveOperator op, poplar::Type type, std::size_t count)
      : Collective(step, std::move(exchange), std::move(out), std::move(data),
                   std::move(groups)),
        op_(op), type_(type), count_(count), size_(sizeOf(type)) {}

protected:
  void exchange(ExecutionState &state, std::size_t group) const override {
    combine(
        op_, type_, count_, groups_.size,
        [&](std::size_t i) { return dataOf(state, group, i); }, groups_.size,
        [&](std::size_t i) { return outOf(state, group, i); }, state.pool);
  }

  // Little data go to all instances, each of which makes all results. Of much,
  // each instance makes the results of a share of the elements for all.
  void runWithOthers(ExecutionState &state) const override {
    const unsigned numInstances = state.instances->numInstances();
    const unsigned here = state.instances->index();
    const bool isShared =
        count_ * size_ * state.replicas.size() > InstanceChannel::kSmall;
    const auto shareOf = [&](unsigned instance) {
      const auto bound = [&](std::size_t i) {
        return (count_ * i / numInstances) * size_;
      };
      return isShared
                 ? Piece{bound(instance), bound(instance + 1) - bound(instance)}
                 : Piece{0, count_ * size_};
    };
    const RemotePieces pieces =
        fetch(state, [&](unsigned, unsigned instance) -> Pieces {
          return {shareOf(instance)};
        });

    const Piece own = shareOf(here);
    std::vector<const char *> results(groups_.count()); // of the own share
    std::vector<std::unique_ptr<char[]>> extra;
    for (std::size_t group = 0; group < groups_.count(); ++group) {
      SmallVector<char *, 8> to;
      for (const std::size_t i : positionsIn(state, group, here))
        to.push_back(outOf(state, group, i) + own.offset);
      if (to.empty()) {
        if (!isShared)
          continue;
        extra.emplace_back(new char[own.bytes]);
        to.push_back(extra.back().get());
      }
      results[group] = to[0];
      combine(
          op_, type_, own.bytes / size_, groups_.size,
          [&](std::size_t i) { return pieces.at(groups_.member(group, i), 0); },
          to.size(), [&](std::size_t i) { return to[i]; }, state.pool);
    }
    if (isShared)
      shareResults(state, shareOf, results);
  }

private:
  template <class ShareOf>
  void shareResults(ExecutionState &state, ShareOf &&shareOf,
                    const std::vector<const char *> &results) const {
    const unsigned here = state.instances->index();
    std::vector<OutgoingBlock> outgoing;
    std::vector<IncomingBlock> incoming;
    for (std::size_t group = 0; group < groups_.count(); ++group) {
      const auto positions = positionsIn(state, group, here);
      for (unsigned other = 0; other < state.instances->numInstances();
           ++other) {
        if (other == here)
          continue;
        if (!positionsIn(state, group, other).empty())
          outgoing.push_back({other, results[group], shareOf(here).bytes});
        if (!positions.empty())
          incoming.push_back(
              {other, outOf(state, group, positions[0]) + shareOf(other).offset,
               shareOf(other).bytes});
      }
    }
    state.instances->proceed(exchange_, outgoing, incoming);
    for (std::size_t group = 0; group < groups_.count(); ++group) {
      const auto positions = positionsIn(state, group, here);
      for (std::size_t i = 1; i < positions.size(); ++i)
        std::copy_n(outOf(state, group, positions[0]), count_ * size_,
                    outOf(state, group, positions[i]));
    }
  }

  gcl::CollectiveOperator op_;
  poplar::Type type_;
  std::size_t count_;
  std::size_t size_; // of an element
};

} // namespace ipumodel
