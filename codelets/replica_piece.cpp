// What one of several replicas, which all have the same words, sends of them.
#include <poplar/Vertex.hpp>

namespace popscope {

class ReplicaPiece : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> words;
  poplar::Input<unsigned> replica;
  poplar::Output<poplar::Vector<unsigned>> piece; // 0 behind the last word
  unsigned pieces; // replicas that have these words, one after the other

  bool compute() {
    const unsigned begin = *replica % pieces * piece.size();
    for (unsigned i = 0; i < piece.size(); ++i)
      piece[i] = begin + i < words.size() ? words[begin + i] : 0;
    return true;
  }
};

} // namespace popscope
