#include "poplar/plan/fusion/accumulate_pass.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

bool overlap(const std::vector<TensorPtr> &a, const std::vector<TensorPtr> &b) {
  return std::any_of(a.begin(), a.end(), [&](const TensorPtr &x) {
    return std::any_of(b.begin(), b.end(), [&](const TensorPtr &y) {
      return x->view.overlaps(y->view);
    });
  });
}

// True if only the second operation uses the first one's output.
bool areOnlyOf(const ProgramNode &first, const ProgramNode &second,
               const VariableAccesses &accesses) {
  return std::all_of(
      first.op->outputs.begin(), first.op->outputs.end(),
      [&](const TensorPtr &output) {
        return accesses.areOnlyOf({&first, &second}, output->view);
      });
}

bool mayBeFirst(const ProgramNode &program, const FusionFacts &facts) {
  return facts.isPlainNative(program) && program.op->what->mayJoin();
}

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
  if (!facts.settings.isOn(FusionPass::accumulate))
    return line;
  std::vector<ProgramPtr> firsts;
  for (const ProgramPtr &program : line)
    if (mayBeFirst(*program, facts))
      firsts.push_back(program);
  for (const ProgramPtr &first : firsts) {
    const NativeOp &op = *first->op;
    const auto from = std::find(line.begin(), line.end(), first);
    for (auto at = from + 1; at != line.end(); ++at) {
      if (!facts.isPlainNative(**at))
        break;
      const NativeOp &other = *(*at)->op;
      if (overlap(op.outputs, other.inputs) ||
          overlap(op.outputs, other.outputs)) {
        if (areOnlyOf(*first, **at, facts.accesses))
          std::rotate(from, from + 1, at);
        break;
      }
      if (overlap(op.inputs, other.outputs))
        break;
    }
  }
  return line;
}

Line joinPairs(Line line, const FusionFacts &facts,
               const PlanBuilder &builder) {
  if (!facts.settings.isOn(FusionPass::accumulate))
    return line;
  for (auto at = line.begin(); at != line.end(); ++at) {
    if (at->isSkipped || !mayBeFirst(*at->program, facts))
      continue;
    const auto next = std::find_if(
        at + 1, line.end(), [](const Unit &unit) { return !unit.isSkipped; });
    const bool isPair =
        next != line.end() && facts.isPlainNative(*next->program);
    if (isPair && areOnlyOf(*at->program, *next->program, facts.accesses))
      at->joined =
          at->program->op->what->join(*at->program, *next->program, builder);
    if (at->joined)
      at->second = next->program;
    explain(*at, isPair ? next->program.get() : nullptr, facts);
    if (at->joined)
      line.erase(next); // after `at`, which stays valid
  }
  return line;
}

} // namespace ipumodel
