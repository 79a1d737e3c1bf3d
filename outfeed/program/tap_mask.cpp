#include "outfeed/program/tap_mask.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace popscope::outfeed {

poplar::Tensor TapMask::addWord(poplar::Graph &graph, Kind kind,
                                std::vector<TapId> taps) {
  const poplar::Tensor word =
      graph.addVariable(poplar::UNSIGNED_INT, {}, {"popscope/mask"});
  graph.setTileMapping(word, 0);
  words_.push_back({word, kind, std::move(taps)});
  return word;
}

poplar::Tensor TapMask::flag(poplar::Graph &graph, TapId tap) {
  for (const Word &word : words_)
    if (word.kind == Kind::flag && word.taps.front() == tap)
      return word.tensor;
  return addWord(graph, Kind::flag, {tap});
}

poplar::Tensor TapMask::share(poplar::Graph &graph,
                              const std::vector<TapId> &group) {
  return addWord(graph, Kind::share, group);
}

void TapMask::addLimits(TapId tap, const poplar::Tensor &limits) {
  for (std::size_t i = 0; i < limits.numElements(); ++i)
    words_.push_back(
        {limits[i].reinterpret(poplar::UNSIGNED_INT), Kind::limit, {tap}, i});
}

void TapMask::addIntervention(std::size_t place, const poplar::Tensor &words) {
  for (std::size_t i = 0; i < kInterventionWords; ++i)
    words_.push_back({words[i], Kind::intervention, {}, i, place});
}

void TapMask::addTransfer(poplar::Graph &graph, poplar::program::Sequence &prog,
                          const std::string &handle) {
  std::vector<poplar::Tensor> words;
  for (const Word &word : words_)
    words.push_back(word.tensor.reshape({1}));
  const poplar::DataStream stream =
      graph.addHostToDeviceFIFO(handle, poplar::UNSIGNED_INT, words.size(),
                                poplar::ReplicatedStreamMode::BROADCAST);
  prog.add(poplar::program::Copy(stream, poplar::concat(words), false,
                                 {"popscope/mask"}));
}

void TapMask::write(const Decisions &decisions, unsigned *words) const {
  for (const Word &word : words_) {
    unsigned &value = *words++;
    if (word.kind == Kind::limit) {
      const float limit = decisions.limit(word.taps.front(), word.which);
      std::memcpy(&value, &limit, sizeof value);
      continue;
    }
    if (word.kind == Kind::intervention) {
      unsigned words[kInterventionWords];
      std::memcpy(words, &decisions.intervention(word.place), sizeof words);
      value = words[word.which];
      continue;
    }
    const auto due = std::size_t(
        std::count_if(word.taps.begin(), word.taps.end(), decisions.isDue));
    const Share share = due == 0                  ? Share::none
                        : due == word.taps.size() ? Share::all
                                                  : Share::some;
    value = unsigned(share); // of a single tap: 0 or 1
  }
}

bool TapMask::isFlagged(TapId tap, const unsigned *words) const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (words_[i].kind == Kind::flag && words_[i].taps.front() == tap)
      return words[i] != 0;
  return false;
}

} // namespace popscope::outfeed
