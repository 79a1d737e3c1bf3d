// Who reads and writes a variable, and where parts of programs occur, in all
// programs of an image.
#pragma once

#include "poplar/image.hpp"

#include <unordered_map>
#include <vector>

namespace ipumodel {

class VariableUses {
public:
  explicit VariableUses(const Image &image);

  // True if native operations of programs, each in one place of the programs,
  // and nothing else use the variables of `view`, and these are among `nodes`.
  // The host, streams, vertices, copies and initial values count as others.
  bool areOnlyOf(const std::vector<const ProgramNode *> &nodes,
                 const View &view) const;

  // True if the node occurs once, in one program.
  bool hasOnePlace(const ProgramNode &node) const {
    const auto it = places_.find(&node);
    return it != places_.end() && it->second == 1;
  }

private:
  void pin(const View &view);

  std::unordered_map<const ProgramNode *, unsigned> places_;
  std::vector<bool> isPinned_; // by variable: used by something else
  std::vector<std::vector<const ProgramNode *>> users_;
};

} // namespace ipumodel
