#include "outfeed/tap_mask.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

poplar::Tensor TapMask::addWord(poplar::Graph &graph, std::vector<TapId> taps,
                                bool isShare) {
  const poplar::Tensor word =
      graph.addVariable(poplar::UNSIGNED_INT, {}, {"popscope/mask"});
  graph.setTileMapping(word, 0);
  words_.push_back({word, std::move(taps), isShare});
  return word;
}

poplar::Tensor TapMask::flag(poplar::Graph &graph, TapId tap) {
  for (const Word &word : words_)
    if (!word.isShare && word.taps.front() == tap)
      return word.tensor;
  return addWord(graph, {tap}, false);
}

poplar::Tensor TapMask::share(poplar::Graph &graph,
                              const std::vector<TapId> &group) {
  return addWord(graph, group, true);
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

void TapMask::write(const std::function<bool(TapId)> &isDue,
                    unsigned *words) const {
  for (const Word &word : words_) {
    const auto due =
        std::size_t(std::count_if(word.taps.begin(), word.taps.end(), isDue));
    Share share = due == 0                  ? Share::none
                  : due == word.taps.size() ? Share::all
                                            : Share::some;
    *words++ = unsigned(share); // of a single tap: 0 or 1
  }
}

} // namespace popscope::outfeed
