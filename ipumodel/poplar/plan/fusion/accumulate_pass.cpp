#include "poplar/plan/fusion/accumulate_pass.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ipumodel {

namespace {

bool overlap(const std::vector<TensorPtr> &a, const std::vector<TensorPtr> &b) {
  return std::any_of(a.begin(), a.end(), [&](const TensorPtr &x) {
    return std::any_of(b.begin(), b.end(), [&](const TensorPtr &y) {
      return x->view.overlaps(y->view);
    });
  });
}

// The only operation that uses the outputs of `first` besides itself; null if
// there is none, or if others may use them.
const ProgramNode *onlyUserOf(const ProgramNode &first,
                              const VariableAccesses &accesses) {
  const ProgramNode *only = nullptr;
  for (const TensorPtr &output : first.op->outputs)
    if (!accesses.areOnlyOf(output->view, [&](const ProgramNode &user) {
          if (!only && &user != &first)
            only = &user;
          return &user == &first || &user == only;
        }))
      return nullptr;
  return only;
}

// True if only the second operation uses the first one's output.
bool areOnlyOf(const ProgramNode &first, const ProgramNode &second,
               const VariableAccesses &accesses) {
  return std::all_of(first.op->outputs.begin(), first.op->outputs.end(),
                     [&](const TensorPtr &output) {
                       return accesses.areOnlyOf(
                           output->view, [&](const ProgramNode &user) {
                             return &user == &first || &user == &second;
                           });
                     });
}

bool mayBeFirst(const ProgramNode &program, const FusionFacts &facts) {
  return facts.isPlainNative(program) && program.op->what->mayJoin();
}

// Where the operations of a line are, and what they write.
class LinePlaces {
public:
  LinePlaces(const std::vector<ProgramPtr> &line, const FusionFacts &facts)
      : line_(line) {
    std::size_t others = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      othersBefore_.push_back(others);
      if (!facts.isPlainNative(*line[at])) {
        ++others;
        continue;
      }
      places_.emplace(line[at].get(), at);
      for (const TensorPtr &output : line[at]->op->outputs)
        for (const Block &block : output->view.blocks()) {
          std::vector<std::size_t> &writers = writers_[block.variable];
          if (writers.empty() || writers.back() != at)
            writers.push_back(at);
        }
    }
  }

  // The place that the operation at `from` can be moved to, before the one that
  // is there; `from` if there is none.
  std::size_t moveFor(std::size_t from, const ProgramNode *user) const {
    const auto found = places_.find(user);
    if (found == places_.end() || found->second < from)
      return from;
    const std::size_t to = found->second;
    const NativeOp &first = *line_[from]->op, &second = *user->op;
    const bool canMove = othersBefore_[from] == othersBefore_[to] &&
                         (overlap(first.outputs, second.inputs) ||
                          overlap(first.outputs, second.outputs)) &&
                         !isWrittenBetween(first.inputs, from, to);
    return canMove ? to : from;
  }

private:
  bool isWrittenBetween(const std::vector<TensorPtr> &tensors, std::size_t from,
                        std::size_t to) const {
    for (const TensorPtr &tensor : tensors)
      for (const Block &block : tensor->view.blocks()) {
        const auto found = writers_.find(block.variable);
        if (found == writers_.end())
          continue;
        const std::vector<std::size_t> &writers = found->second;
        for (auto at = std::upper_bound(writers.begin(), writers.end(), from);
             at != writers.end() && *at < to; ++at)
          if (overlap({tensor}, line_[*at]->op->outputs))
            return true;
      }
    return false;
  }

  const std::vector<ProgramPtr> &line_;
  std::vector<std::size_t> othersBefore_; // not operations, or not plain
  std::unordered_map<const ProgramNode *, std::size_t> places_; // of operations
  std::unordered_map<VariableId, std::vector<std::size_t>> writers_; // in order
};

// `second` is the operation after the unit, if there is one.
void explain(const Unit &unit, const ProgramNode *second,
             const FusionFacts &facts) {
  if (!facts.explanation.isOn())
    return;
  const std::string first = textOf(*unit.program);
  if (unit.joined)
    return facts.explanation.fused(FusionPass::accumulate,
                                   first + " adds to what " + textOf(*second) +
                                       " changes");
  std::string why = "no operation follows it";
  if (second)
    why = areOnlyOf(*unit.program, *second, facts.accesses)
              ? "it cannot do the work of " + textOf(*second)
              : "not only " + textOf(*second) + " after it uses its result";
  facts.explanation.notFused(FusionPass::accumulate, first + ": " + why);
}

} // namespace

std::vector<ProgramPtr> bringPairsTogether(std::vector<ProgramPtr> line,
                                           const FusionFacts &facts) {
  const bool mayHavePairs =
      facts.settings.isOn(FusionPass::accumulate) &&
      std::any_of(line.begin(), line.end(), [&](const ProgramPtr &program) {
        return mayBeFirst(*program, facts);
      });
  if (!mayHavePairs)
    return line;
  const LinePlaces places(line, facts);
  std::vector<std::vector<std::size_t>> movedTo(line.size());
  std::vector<bool> isMoved(line.size());
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!mayBeFirst(*line[at], facts))
      continue;
    const std::size_t to =
        places.moveFor(at, onlyUserOf(*line[at], facts.accesses));
    isMoved[at] = to != at;
    if (isMoved[at])
      movedTo[to].push_back(at);
  }
  std::vector<ProgramPtr> moved;
  for (std::size_t at = 0; at < line.size(); ++at) {
    for (const std::size_t from : movedTo[at])
      moved.push_back(line[from]);
    if (!isMoved[at])
      moved.push_back(line[at]);
  }
  return moved;
}

Line joinPairs(Line line, const FusionFacts &facts,
               const PlanBuilder &builder) {
  if (!facts.settings.isOn(FusionPass::accumulate))
    return line;
  Line units;
  std::size_t joined = line.size(); // the last second of a pair
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (at == joined)
      continue;
    units.push_back(std::move(line[at]));
    Unit &unit = units.back();
    if (!mayBeFirst(*unit.program, facts))
      continue;
    const auto next = std::find_if(
        line.begin() + static_cast<std::ptrdiff_t>(at) + 1, line.end(),
        [](const Unit &other) { return !other.isSkipped; });
    const ProgramNode *second =
        next != line.end() && facts.isPlainNative(*next->program)
            ? next->program.get()
            : nullptr;
    if (second && areOnlyOf(*unit.program, *second, facts.accesses))
      unit.joined =
          unit.program->op->what->join(*unit.program, *second, builder);
    if (unit.joined) {
      unit.second = next->program;
      joined = static_cast<std::size_t>(next - line.begin());
    }
    explain(unit, second, facts);
  }
  return units;
}

} // namespace ipumodel
