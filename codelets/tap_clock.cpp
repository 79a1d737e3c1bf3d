// Counts the executions of a unit of taps and tells which schedules are due at
// the next one.
#include <poplar/Vertex.hpp>

namespace popscope {

class TapClock : public poplar::Vertex {
public:
  poplar::InOut<unsigned> execution;
  poplar::Output<poplar::Vector<unsigned>> due; // per schedule, 0 or 1
  unsigned executionsPerStep;
  // Per schedule; a step of the list is due whatever the period says, and
  // `every` 0 means the list alone.
  poplar::Vector<unsigned> every, from, until;
  poplar::Vector<unsigned> listEnd; // of each schedule's part of `list`
  poplar::Vector<unsigned> list;

  bool compute() {
    *execution += 1;
    const unsigned step = *execution / executionsPerStep;
    unsigned entry = 0;
    for (unsigned s = 0; s < due.size(); ++s) {
      unsigned isDue = every[s] != 0 && step >= from[s] && step <= until[s] &&
                       (step - from[s]) % every[s] == 0;
      for (; entry < listEnd[s]; ++entry)
        isDue |= list[entry] == step;
      due[s] = isDue;
    }
    return true;
  }
};

} // namespace popscope
