// Which operations read and write each variable, and how often parts of
// programs occur, over all programs of an executable.
#pragma once

#include "poplar/executable_data.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class VariableAccesses {
public:
  explicit VariableAccesses(const ExecutableData &executable);

  // True if the variables of `view` are used only by native operations that are
  // among `nodes` and occur once in the programs. Any use by the host, streams,
  // vertices, copies or initial values makes it false.
  bool areOnlyOf(const std::vector<const ProgramNode *> &nodes,
                 const View &view) const;

  // The native operations that write to the variables of `view`, each of which
  // occurs once; empty if anything but these and initial values may write to
  // them.
  std::optional<std::vector<const ProgramNode *>>
  writersOf(const View &view) const;

  // True if the node occurs once, in one program.
  bool hasOnePlace(const ProgramNode &node) const {
    const auto it = places_.find(&node);
    return it != places_.end() && it->second == 1;
  }

private:
  // For each variable.
  struct Uses {
    bool isPinned = false; // something other than native operations uses it
    bool isWrittenByOthers = false;
    std::vector<const ProgramNode *> users;
    std::vector<const ProgramNode *> writers; // among the users
  };

  enum class Effect { reads, writes };
  void pin(const View &view, Effect effect);
  void addOperation(const ProgramNode &node);

  std::unordered_map<const ProgramNode *, unsigned> places_;
  std::vector<Uses> uses_; // by variable
};

} // namespace ipumodel
