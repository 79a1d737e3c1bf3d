// The flight recorder: rings of rows that stop when something happens.
#include "codelets/recorder.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

class RecordRows : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> rows; // one after the other
  poplar::Input<unsigned> execution;
  poplar::Input<unsigned> lastUpdate; // or kRecordsOn
  poplar::InOut<poplar::Vector<unsigned>> ring;
  poplar::Output<unsigned> bad; // 1 if a tensor is not finite
  unsigned executionsPerUpdate;
  unsigned slots;
  poplar::Vector<unsigned> infinitiesIntended; // per row, 0 or 1

  bool compute() {
    const unsigned tensors = infinitiesIntended.size();
    unsigned some = 0;
    for (unsigned t = 0; t < tensors; ++t) {
      const unsigned *const row = &rows[t * kRecordedWords];
      // The first words of a row: NaN, infinities of either sign.
      some |= row[0] | (infinitiesIntended[t] != 0 ? 0 : row[1] | row[2]);
    }
    *bad = some != 0;
    if (*execution / executionsPerUpdate > *lastUpdate)
      return true;
    unsigned *const slot = &ring[*execution % slots * slotWords(tensors)];
    slot[0] = *execution + 1;
    __builtin_memcpy(slot + 1, &rows[0],
                     tensors * kRecordedWords * sizeof(unsigned));
    return true;
  }
};

// Stops all rings after this update if a tensor is not finite, once.
class StopRecorder : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> bad; // per ring
  poplar::Input<unsigned> execution;
  poplar::InOut<unsigned> lastUpdate;
  poplar::InOut<unsigned> alarms; // so many so far, at most 1
  unsigned executionsPerUpdate;

  bool compute() {
    unsigned some = 0;
    for (unsigned r = 0; r < bad.size(); ++r)
      some |= bad[r];
    if (some != 0 && *alarms == 0) {
      const unsigned update = *execution / executionsPerUpdate;
      *lastUpdate = update < *lastUpdate ? update : *lastUpdate;
      *alarms = 1;
    }
    return true;
  }
};

} // namespace popscope
