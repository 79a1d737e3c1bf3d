// Decides by the rows of tensors which of their taps send.
#include "codelets/condition.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

class JudgeRows : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> rows;      // one after the other
  poplar::Input<poplar::Vector<float>> limits;       // per term
  poplar::InOut<poplar::Vector<unsigned>> memory;    // a TermMemory per term
  poplar::Output<poplar::Vector<unsigned>> holds;    // per row, 0 or 1
  poplar::Output<poplar::Vector<unsigned>> evidence; // an Evidence per row
  poplar::Vector<unsigned> tiers, counts;            // per row
  poplar::Vector<unsigned> termEnd; // of each row's part of `terms`
  poplar::Vector<unsigned> terms;

  bool compute() {
    unsigned word = 0, term = 0;
    for (unsigned r = 0; r < holds.size(); ++r) {
      const StatsTier tier = StatsTier(tiers[r]);
      const StatsRow row = loadRow(&rows[word], tier);
      const Evidence found = judge(row, counts[r], term, termEnd[r]);
      holds[r] = found.term != kNoTerm;
      __builtin_memcpy(&evidence[r * kEvidenceWords], &found, sizeof found);
      word += rowWords(tier);
      term = termEnd[r];
    }
    return true;
  }

private:
  // The first term of the first alternative of which all terms are true.
  Evidence judge(const StatsRow &row, unsigned count, unsigned begin,
                 unsigned end) {
    const Evidence none = {kNoTerm, 0.0f, 0.0f};
    Evidence found = none, first = none;
    for (unsigned t = begin; t < end; ++t) {
      const ConditionTerm term = termOf(terms[t]);
      Evidence evidence = {t - begin, 0.0f, 0.0f};
      TermMemory remembered;
      unsigned *const words = &memory[t * kTermMemoryWords];
      __builtin_memcpy(&remembered, words, sizeof remembered);
      const bool holds =
          isTrue(term, limits[t], row, count, remembered, evidence);
      __builtin_memcpy(words, &remembered, sizeof remembered);
      if (term.isFirst)
        first = evidence;
      if (!holds)
        first = none;
      const bool isLast = t + 1 == end || termOf(terms[t + 1]).isFirst;
      if (isLast && found.term == kNoTerm)
        found = first;
    }
    return found;
  }
};

// A trigger that fires sends at once and, if it is to, for some updates more.
class FireTriggers : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> holds; // per trigger
  poplar::Input<unsigned> execution;
  // Per trigger: the update at which it is armed again.
  poplar::InOut<poplar::Vector<unsigned>> armedAt;
  poplar::Output<poplar::Vector<unsigned>> sends; // per trigger, 0 or 1
  poplar::Output<unsigned> any;                   // of them
  // Nothing, or the word that a firing stops the recorder by.
  poplar::InOut<poplar::Vector<unsigned>> lastUpdate;
  unsigned executionsPerUpdate;
  poplar::Vector<unsigned> forUpdates; // per trigger; 0: where it holds only

  bool compute() {
    const unsigned update = *execution / executionsPerUpdate;
    unsigned some = 0;
    for (unsigned t = 0; t < holds.size(); ++t) {
      const bool isArmed = update >= armedAt[t];
      if (isArmed && holds[t] != 0) {
        armedAt[t] = update + forUpdates[t];
        if (lastUpdate.size() != 0 && update < lastUpdate[0])
          lastUpdate[0] = update;
      }
      sends[t] = !isArmed || holds[t] != 0;
      some |= sends[t];
    }
    *any = some;
    return true;
  }
};

// The bits of words as halves, to send both kinds of elements together.
class WordsAsHalves : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> words;
  poplar::Output<poplar::Vector<half>> halves; // two per word

  bool compute() {
    __builtin_memcpy(&halves[0], &words[0], words.size() * sizeof(unsigned));
    return true;
  }
};

} // namespace popscope
