// What the host tells the device at the top of each update: which taps are due.
#pragma once

#include "outfeed/tap_plan.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// All replicas get the same words, so that they agree on what they run. The
// host decides by the schedules, since it counts the updates; the device only
// branches.
class TapMask {
public:
  // 1 if the tap is due at this update, else 0.
  poplar::Tensor flag(poplar::Graph &graph, TapId tap);

  // How many of a group of taps are due. If all are, they share one transfer.
  enum class Share : unsigned { none, all, some };
  poplar::Tensor share(poplar::Graph &graph, const std::vector<TapId> &group);

  bool isEmpty() const { return words_.empty(); }
  // After the last of the functions above: appends the transfer of all words.
  void addTransfer(poplar::Graph &graph, poplar::program::Sequence &prog,
                   const std::string &handle);

  // As the stream carries them.
  std::size_t size() const { return words_.size(); }
  void write(const std::function<bool(TapId)> &isDue, unsigned *words) const;

private:
  struct Word {
    poplar::Tensor tensor;
    std::vector<TapId> taps;
    bool isShare;
  };
  poplar::Tensor addWord(poplar::Graph &graph, std::vector<TapId> taps,
                         bool isShare);

  std::vector<Word> words_;
};

} // namespace popscope::outfeed
