// Which operations read and write each variable, and how often parts of
// programs occur, over all programs of an executable.
#pragma once

#include "poplar/program/executable_data.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class VariableAccesses {
public:
  explicit VariableAccesses(const ExecutableData &executable);

  // True if the variables of `view` are used only by native operations, and
  // read only by them and by vertices, all executed by nodes that occur once in
  // the programs and for which `isOne` is true. Any use by the host, streams,
  // copies or initial values makes it false.
  template <class F> bool areOnlyOf(const View &view, F &&isOne) const {
    return std::all_of(
        view.blocks().begin(), view.blocks().end(), [&](const Block &block) {
          const Uses &uses = uses_[block.variable];
          return !uses.isPinned &&
                 std::all_of(
                     uses.users.begin(), uses.users.end(),
                     [&](const ProgramNode *user) { return isOne(*user); });
        });
  }

  // The native operations that use a variable, and the nodes that execute
  // vertices that read it; there may be other uses.
  const std::vector<const ProgramNode *> &usersOf(VariableId variable) const {
    return uses_[variable].users;
  }

  // The native operations that write to the variables of `view`, each of which
  // occurs once; empty if anything but these and initial values may write to
  // them.
  std::optional<std::vector<const ProgramNode *>>
  writersOf(const View &view) const;

  // True if the node occurs once, in one program; what contains it may occur
  // more than once. No other node executes the compute set of one that executes
  // vertices.
  bool hasOnePlace(const ProgramNode &node) const {
    const auto it = places_.find(&node);
    return it != places_.end() && it->second == 1;
  }

private:
  // For each variable.
  struct Uses {
    bool isPinned = false; // something that is not a user uses it
    bool isWrittenByOthers = false;
    std::vector<const ProgramNode *> users;
    std::vector<const ProgramNode *> writers; // among the users
  };

  enum class Effect { reads, writes };
  void pin(const View &view, Effect effect);
  void addOperation(const ProgramNode &node);
  void addVertices(const GraphData &graph, std::uint32_t computeSet);

  std::unordered_map<const ProgramNode *, unsigned> places_;
  // A node that executes each compute set; null if there is none.
  std::vector<const ProgramNode *> executes_;
  std::vector<Uses> uses_; // by variable
};

} // namespace ipumodel
