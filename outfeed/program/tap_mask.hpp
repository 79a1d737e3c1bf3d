// What the host tells the device at the top of each update: which taps are due,
// the limits of their conditions, and which tensors to change.
#pragma once

#include "codelets/intervention.hpp"
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

  // Those of the tap's condition, FLOAT.
  void addLimits(TapId tap, const poplar::Tensor &limits);

  // The InterventionWords of a tensor; those added first have place 0.
  void addIntervention(std::size_t place, const poplar::Tensor &words);

  bool isEmpty() const { return words_.empty(); }
  // After the last of the functions above: appends the transfer of all words.
  void addTransfer(poplar::Graph &graph, poplar::program::Sequence &prog,
                   const std::string &handle);

  // As the stream carries them.
  std::size_t size() const { return words_.size(); }
  struct Decisions {
    std::function<bool(TapId)> isDue;
    std::function<float(TapId, std::size_t)> limit;
    std::function<const InterventionWords &(std::size_t)> intervention;
  };
  void write(const Decisions &decisions, unsigned *words) const;
  // Whether these words say that the tap is due; it has a flag.
  bool isFlagged(TapId tap, const unsigned *words) const;

private:
  enum class Kind { flag, share, limit, intervention };
  struct Word {
    poplar::Tensor tensor;
    Kind kind;
    std::vector<TapId> taps;
    // Which of the tap's limits, or of the words of an intervention.
    std::size_t which = 0;
    std::size_t place = 0; // of an intervention
  };
  poplar::Tensor addWord(poplar::Graph &graph, Kind kind,
                         std::vector<TapId> taps);

  std::vector<Word> words_;
};

} // namespace popscope::outfeed
