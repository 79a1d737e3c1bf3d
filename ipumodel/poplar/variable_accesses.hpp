// Who reads and writes a variable, and where parts of programs occur, in all
// programs of an executable.
#pragma once

#include "poplar/executable_data.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class VariableAccesses {
public:
  explicit VariableAccesses(const ExecutableData &executable);

  // True if native operations of programs, each in one place of the programs,
  // and nothing else use the variables of `view`, and these are among `nodes`.
  // The host, streams, vertices, copies and initial values count as others.
  bool areOnlyOf(const std::vector<const ProgramNode *> &nodes,
                 const View &view) const;

  // The native operations of programs that write to the variables of `view`,
  // each of which is in one place; nothing if anything else may, other than
  // initial values.
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
    bool isPinned = false; // something else uses it
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
