#include "poplar/plan/fusion/chain_clashes.hpp"

namespace ipumodel {

namespace {

bool shareVariables(const View &a, const View &b) {
  for (const Block &x : a.blocks())
    for (const Block &y : b.blocks())
      if (x.variable == y.variable)
        return true;
  return false;
}

// True if nothing reads `a` any more when `b` is written, after the items.
bool isDoneBefore(const StageOperands::Whole &a,
                  const StageOperands::Whole &b) {
  return a.access == Access::read && !a.isLate && b.isLate;
}

} // namespace

std::optional<VariableId> clashOf(const ChainLink &before,
                                  const ChainLink &next) {
  const auto clash = [](const auto &a, const auto &b) {
    return (a.access != Access::read || b.access != Access::read) &&
           shareVariables(a.view, b.view);
  };
  const auto variableOf = [](const auto &operand) {
    return operand.view.blocks()[0].variable;
  };
  for (const StageOperands::Item &a : before.items) {
    for (const StageOperands::Item &b : next.items)
      if (clash(a, b) && (a.offset != b.offset || a.bytes != b.bytes))
        return variableOf(a);
    for (const StageOperands::Whole &b : next.wholes)
      if (clash(a, b))
        return variableOf(a);
  }
  for (const StageOperands::Whole &a : before.wholes) {
    for (const StageOperands::Item &b : next.items)
      if (clash(a, b))
        return variableOf(b);
    for (const StageOperands::Whole &b : next.wholes)
      if (clash(a, b) && !isDoneBefore(a, b))
        return variableOf(a);
  }
  return std::nullopt;
}

} // namespace ipumodel
