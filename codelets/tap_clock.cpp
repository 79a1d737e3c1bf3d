// Counts the executions of a unit of taps and says which schedules are due at
// the next one.
#include "codelets/schedule_due.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

class TapClock : public poplar::Vertex {
public:
  poplar::InOut<unsigned> execution;
  poplar::Output<poplar::Vector<unsigned>> due; // per schedule, 0 or 1
  unsigned executionsPerUpdate;
  poplar::Vector<unsigned> every, from, until; // per schedule
  poplar::Vector<unsigned> listEnd; // of each schedule's part of `list`
  poplar::Vector<unsigned> list;

  bool compute() {
    *execution += 1;
    const unsigned update = *execution / executionsPerUpdate;
    unsigned begin = 0;
    for (unsigned s = 0; s < due.size(); ++s) {
      const unsigned count = listEnd[s] - begin;
      const unsigned *listed = count != 0 ? &list[begin] : nullptr;
      due[s] = isDue({every[s], from[s], until[s]}, listed, count, update);
      begin = listEnd[s];
    }
    return true;
  }
};

} // namespace popscope
