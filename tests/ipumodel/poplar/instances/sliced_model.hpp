// A model of which this instance has only some of the replicas.
#pragma once

#include "tests/ipumodel/poplar/engine/model.hpp"

namespace instancetest {

struct SlicedModel : enginetest::Model {
  // Of `total` replicas of one IPU, those of an instance out of `instances`.
  SlicedModel(unsigned total, unsigned instances, unsigned instance)
      : Model(4, total, total), count(total / instances),
        first(instance * count) {}

  poplar::OptionFlags options(const std::string &timeout = "60") const {
    return {{"target.firstRuntimeReplica", std::to_string(first)},
            {"target.numberRuntimeReplica", std::to_string(count)},
            {"target.hostSyncTimeout", timeout}};
  }
  poplar::Engine &
  loadSlice(const std::vector<poplar::program::Program> &programs,
            const std::string &timeout = "60") {
    engine =
        std::make_unique<poplar::Engine>(graph, programs, options(timeout));
    engine->load(enginetest::modelDevice(4, count));
    return *engine;
  }
  // Bytes of the replicas that are here, of data of all.
  template <class T> std::vector<T> sliceOf(const std::vector<T> &all) const {
    const std::size_t each = all.size() / graph.getReplicationFactor();
    const auto begin = all.begin() + std::ptrdiff_t(first * each);
    return std::vector<T>(begin, begin + std::ptrdiff_t(count * each));
  }

  unsigned count, first;
};

} // namespace instancetest
